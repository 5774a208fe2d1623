/**
 * JSON that means the same to everyone: what JSON.parse would take silently and change is refused here, with its place.
 * Duplicate keys, numbers that do not survive a double, lone surrogates and deep nesting.
 */
import type { Problem } from "@partner-commentary/api/Errors"
import * as Result from "effect/Result"

/** Levels of nesting in a body; its own outermost one comes on top. */
export const maxDepth = 32

/**
 * Fails with the first thing wrong; `field` is `body` or a path into it. Where the fields that matter are given, only
 * nesting is judged in others: they are ignored, and so is what they hold.
 */
export const parse = (text: string, fields?: ReadonlySet<string>): Result.Result<unknown, Problem> => {
  const parsed = Result.try(() => JSON.parse(text) as unknown)
  if (Result.isFailure(parsed)) return Result.fail({ field: "body", constraint: "must be valid JSON" })
  const problem = scan(text, (levels) => fields === undefined || fields.has(String(levels[0]?.at ?? "")))
  return problem === undefined ? Result.succeed(parsed.success) : Result.fail(problem)
}

interface Level {
  /** The keys seen so far; null in an array. */
  readonly keys: Set<string> | null
  at: string | number
  expectsKey: boolean
}

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[[\]{},:]/g

/** Reads over text that is known to be JSON. */
const scan = (text: string, matters: (levels: ReadonlyArray<Level>) => boolean): Problem | undefined => {
  const levels: Array<Level> = []
  for (const [lexeme] of text.matchAll(token)) {
    const level = levels.at(-1)
    const first = lexeme[0]
    if (first === "{" || first === "[") {
      if (levels.length > maxDepth) {
        return { field: pathOf(levels), constraint: `must not be nested deeper than ${maxDepth} levels` }
      }
      levels.push(
        first === "{" ? { keys: new Set(), at: "", expectsKey: true } : { keys: null, at: 0, expectsKey: false }
      )
    } else if (first === "}" || first === "]") {
      levels.pop()
    } else if (first === ",") {
      if (level?.keys === null) level.at = (level.at as number) + 1
      else if (level !== undefined) level.expectsKey = true
    } else if (first === '"') {
      const problem = readString(lexeme, level, levels)
      if (problem !== undefined && matters(levels)) return problem
    } else if (first !== ":" && !survivesDouble(lexeme) && matters(levels)) {
      return { field: pathOf(levels), constraint: "must be a number that a double holds exactly; send it as a string" }
    }
  }
  return undefined
}

const readString = (lexeme: string, level: Level | undefined, levels: ReadonlyArray<Level>): Problem | undefined => {
  const text = lexeme.includes("\\") ? (JSON.parse(lexeme) as string) : lexeme.slice(1, -1)
  if (level?.keys && level.expectsKey) {
    level.at = text.toWellFormed()
    level.expectsKey = false
    if (level.keys.has(text)) return { field: pathOf(levels), constraint: "must not be given twice" }
    level.keys.add(text)
  }
  return text.isWellFormed()
    ? undefined
    : { field: pathOf(levels), constraint: "must be well-formed Unicode, without lone surrogates" }
}

/** `metadata.tags[2]`, as long as a person would read it. */
const pathOf = (levels: ReadonlyArray<Level>): string => {
  let path = ""
  for (const { at, keys } of levels) {
    if (keys === null) path += `[${at}]`
    else if (at !== "") path += path === "" ? at : `.${at}`
  }
  return path === "" ? "body" : path.slice(0, 200)
}

/** The same value, digit for digit, after a trip through a double. */
const survivesDouble = (source: string): boolean => {
  if (/^-?\d{1,15}$/.test(source)) return true
  const double = Number(source)
  return Number.isFinite(double) && canonical(source) === canonical(String(double))
}

/** Digits without zeros around them, and the power of ten of the first. */
const canonical = (source: string): string => {
  const [mantissa = "", exponent = "0"] = source
    .replace("-", source.startsWith("-") ? "" : "-")
    .toLowerCase()
    .split("e")
  const [whole = "", fraction = ""] = mantissa.split(".")
  const digits = whole + fraction
  let first = 0
  while (digits[first] === "0") first++
  let last = digits.length
  while (last > first && digits[last - 1] === "0") last--
  return first === last ? "0" : `${digits.slice(first, last)}e${Number(exponent) + whole.length - first}`
}
