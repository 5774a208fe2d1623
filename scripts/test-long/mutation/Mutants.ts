/**
 * Generates small faults in source code for mutation tests. Each fault replaces one operator, literal, statement or SQL
 * condition.
 */

export interface Mutant {
  readonly path: string
  readonly offset: number
  readonly found: string
  readonly replacement: string
}

/**
 * Each pattern with its replacement. The patterns require spaces around operators, so that they do not match types,
 * arrow functions and generics.
 */
const operators: ReadonlyArray<readonly [RegExp, (found: string) => string]> = [
  [/ === /g, () => " !== "],
  [/ !== /g, () => " === "],
  [/ < /g, () => " <= "],
  [/ <= /g, () => " < "],
  [/ > (?!=)/g, () => " >= "],
  [/ >= /g, () => " > "],
  [/ && /g, () => " || "],
  [/ \|\| /g, () => " && "],
  [/ \+ (?=[\w(])/g, () => " - "],
  [/ - (?=[\w(])/g, () => " + "],
  [/\btrue\b/g, () => "false"],
  [/\bfalse\b/g, () => "true"],
  [/(?<![\w.#$])[1-9]\d*(?![\w.]|_\d)/g, (found) => String(Number(found) + 1)],
  [/^ +yield\* [^\n{(]+\([^\n]*\)$/gm, () => ""],
  [/^ {2,}(?:AND|OR) [^\n`]+$/gm, () => ""]
]

/** Replaces comments, imports, types and strings with blanks of the same length. */
const code = (text: string) =>
  text.replace(
    /\/\*[\s\S]*?\*\/|(?<![:"'`\w])\/\/.*$|^import .*$|^export (?:interface|type) [\s\S]*?^\}?$|"[^"\n]*"/gm,
    (match) => match.replace(/[^\n]/g, "_")
  )

export const generateMutants = (path: string, text: string): ReadonlyArray<Mutant> =>
  operators.flatMap(([pattern, replace]) =>
    [...code(text).matchAll(pattern)].map(({ 0: found, index }) => ({
      path,
      offset: index,
      found,
      replacement: replace(found)
    }))
  )

/** Draws elements without repetition, with the Mulberry32 random generator. */
export const pickRandomElements = <A>(all: ReadonlyArray<A>, count: number, seed: number): ReadonlyArray<A> => {
  let state = seed
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const left = [...all]
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(Math.floor(random() * left.length), 1)
  ).flat()
}
