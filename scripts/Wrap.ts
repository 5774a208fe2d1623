/**
 * Wraps generated Markdown at 100 columns, like the hand-written pages. Later lines start with `indent`. A longer word stays
 * whole.
 */
export const wrap = (text: string, indent = ""): ReadonlyArray<string> =>
  (text.match(/\S.{0,97}(?=\s|$)|\S+/g) ?? []).map((line, index) => (index === 0 ? line : `${indent}${line}`))
