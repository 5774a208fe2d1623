/**
 * Finds regular expressions whose time grows faster than what they read. Each one is read from the sources and given long runs
 * of the characters that it names, after the words that it begins with: what runs into a wall at their end is tried again
 * from everywhere, if the expression lets it.
 */

/** A text that a pattern took too long for. */
export interface Slow {
  readonly pattern: string
  readonly before: string
  readonly repeated: string
  /** Milliseconds for some length, and for a quarter of it. */
  readonly took: readonly [whole: number, quarter: number]
}

const literal =
  /(?<=(?:^|[(,=:!&|?[{;>])\s{0,80})\/(?![/*?])((?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+)\/([dgimsuvy]{0,8})(?=\s{0,80}[.,;:)\]?}&|]|\s*$)/gm

/** Every regular expression that a source holds as a literal. */
export const patternsOf = (source: string): ReadonlyArray<RegExp> =>
  [...source.matchAll(literal)].map(([, pattern = "", flags]) => new RegExp(pattern, flags))

/** In characters, from the few at which exponents already show. */
const sizes = [16, 18, 20, 22, 128, 512, 2048, 4096, 16_384]

/** Milliseconds that nobody minds, however they grow. */
const unnoticed = 20

export const slowOn = (pattern: RegExp): Slow | undefined => {
  for (const before of beginnings(pattern.source)) {
    for (const repeated of runs(pattern.source)) {
      const time = (size: number) => {
        const text = before + repeated.repeat(Math.ceil(size / repeated.length))
        return Math.max(once(pattern, `${text}\u0000`), once(pattern, `${text}\u0000\n"x`))
      }
      for (const size of sizes) {
        if (time(size) < unnoticed) continue
        const took = [least(() => time(size)), least(() => time(size / 4))] as const
        if (took[0] >= unnoticed && took[0] > took[1] * 9) return { pattern: String(pattern), before, repeated, took }
      }
    }
  }
  return undefined
}

const least = (time: () => number): number => Math.min(time(), time(), time(), time(), time())

const once = (pattern: RegExp, text: string): number => {
  const fresh = new RegExp(pattern)
  const start = performance.now()
  text.replace(fresh, "")
  return performance.now() - start
}

/** What the pattern spells out, up to each of its quantifiers. */
const beginnings = (source: string): ReadonlyArray<string> => {
  const parts = source.split(/[*+?}]/)
  const spelled = parts.map((_, count) =>
    parts
      .slice(0, count)
      .join("")
      .replace(/\[(?:[^\]\\]|\\.)*\]|\\[a-zA-Z](?:\{[^}]*\})?|\(\?<?[:=!]?|[()^$|{]|\\(?=\W)/g, "")
  )
  return [...new Set(["", ...spelled])].slice(0, 12)
}

/** Characters that the pattern names, some of the kinds that it may name, and pairs of what it spells. */
const runs = (source: string): ReadonlyArray<string> => {
  const named = source.replace(/\\[a-zA-Z]/g, "").match(/[^\\()[\]{}^$|*+?]/g) ?? []
  const kinds = [" ", "a", "0", "A", "-", ".", "/", "\n", "\t", "é", "\\", "(", "[", "{", "?"]
  return [...new Set([...named, ...kinds]), "a.", "a-", " a", "::", "/a", '""', "a@", "0.", "\r\n"].slice(0, 80)
}
