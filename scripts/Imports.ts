/** What a file imports. It finds the words and leaves what they may be to the rules. */
import { lineAt, sourceText } from "./SourceText.ts"

export interface Import {
  /** `null` where a dynamic import is computed, and nobody can tell. */
  readonly specifier: string | null
  readonly line: number
  /** Gone at run time. */
  readonly typeOnly: boolean
}

const names = String.raw`(?:\*(?:\s*as\s+[\w$]+)?|\{[^}]*\})`
const statement = String.raw`(?<![\w$.])(?:import(?<type>\s+type\b(?!\s*(?:,|from\s*["'])))?\s*(?:[\w$]+\s*,?\s*)?${names}?\s*from|export(?<exportType>\s+type)?\s*${names}\s*from|import)\s*(?=["'])`
const call = String.raw`(?<![\w$.])(?:import|require|require\.resolve|import\.meta\.resolve)\s*\(\s*`
const either = new RegExp(`${statement}|${call}`, "g")

/** The text between the quotes at this position, or `null` where something else stands there. */
const literalAt = (text: string, position: number): string | null => {
  const quoted = /^(["'`])([^"'`\n]*)\1/.exec(text.slice(position, position + 500))
  return quoted?.[2] === undefined || quoted[2].includes("${") ? null : quoted[2]
}

export const imports = (text: string): ReadonlyArray<Import> => {
  const { code } = sourceText(text)
  return [...code.matchAll(either)].map((found) => ({
    specifier: literalAt(text, found.index + found[0].length),
    line: lineAt(text, found.index),
    typeOnly: found.groups?.["type"] !== undefined || found.groups?.["exportType"] !== undefined
  }))
}

/** `effect` of `effect/sql/SqlClient`, `@effect/vitest` of `@effect/vitest/utils`. */
export const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

export const isRelative = (specifier: string): boolean => /^\.{0,2}\//.test(specifier) || /^\.{1,2}$/.test(specifier)
