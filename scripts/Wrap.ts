/**
 * Wraps generated Markdown at 100 columns, like the hand-written pages. Every line except the first starts with this
 * indent. A word that is longer than a line is not split.
 */
export const wrapText = (text: string, indent = ""): ReadonlyArray<string> =>
  (text.match(/\S.{0,97}(?=\s|$)|\S+/g) ?? []).map((line, index) => (index === 0 ? line : `${indent}${line}`))
