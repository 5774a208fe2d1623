/**
 * Wraps generated Markdown at 100 columns, like the hand-written pages. Later lines start with this indent. A word
 * longer than the line stays whole.
 */
export const wrapText = (text: string, indent = ""): ReadonlyArray<string> =>
  (text.match(/\S.{0,97}(?=\s|$)|\S+/g) ?? []).map((line, index) => (index === 0 ? line : `${indent}${line}`))
