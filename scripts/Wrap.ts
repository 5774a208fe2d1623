/**
 * Wraps generated Markdown at 100 columns, like the hand-written pages. `indent` starts every line after the first. A
 * word that is longer than a line is not split.
 */
export const wrapText = (text: string, indent = ""): ReadonlyArray<string> =>
  (text.match(/\S.{0,97}(?=\s|$)|\S+/g) ?? []).map((line, index) => (index === 0 ? line : `${indent}${line}`))
