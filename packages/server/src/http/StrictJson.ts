/**
 * JSON that means the same to everyone: what JSON.parse would take silently and change is refused here, with its place.
 * Duplicate keys, numbers that do not survive a double, lone surrogates and deep nesting. Whatever is sent, it is read once
 * from front to back, and a place is written out for the one problem that is told.
 */
import type { Problem } from "@partner-commentary/api/Errors"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as JsonText from "./JsonText.ts"
import * as Steps from "./Steps.ts"

/** Levels of nesting in a body; its own outermost one comes on top. */
export const maxDepth = 32

/**
 * Fails with the first thing wrong; `field` is `body` or a path into it. Where the fields that matter are given, only
 * nesting is judged in others: they are ignored, and so is what they hold.
 */
export const parse = (text: string, fields?: ReadonlySet<string>): Result.Result<unknown, Problem> =>
  Steps.runAtOnce(parsing(text, fields))

/** The same in steps: many small values take long to read. */
export const parseInSteps = (
  text: string,
  fields?: ReadonlySet<string>
): Effect.Effect<Result.Result<unknown, Problem>> => Steps.run(parsing(text, fields))

function* parsing(text: string, fields?: ReadonlySet<string>): Steps.Steps<Result.Result<unknown, Problem>> {
  const deep = JsonText.deeperThan(text, maxDepth + 1)
  // What is nested too deeply is not parsed: that alone would take long.
  if (deep !== undefined) return Result.fail(yield* tooDeep(text.slice(0, deep)))
  const parsed = Result.try(() => JSON.parse(text) as unknown)
  if (Result.isFailure(parsed)) return Result.fail({ field: "body", constraint: "must be valid JSON" })
  if (text.length > unitsAtOnce) yield
  const problem = yield* scan(text, [], (levels) => fields === undefined || fields.has(String(levels[0]?.at ?? "")))
  return problem === undefined ? Result.succeed(parsed.success) : Result.fail(problem)
}

/** What JSON.parse reads in a step of its own, in UTF-16 units. */
export const unitsAtOnce = 16_384

interface Level {
  /** The keys seen so far; null in an array. */
  readonly keys: Set<string> | null
  at: string | number
  expectsKey: boolean
}

type Levels = Array<Level>

/** A string, a number, or a character that says where they stand. What lies between the quotes is found by `endOfString`. */
const token = /"|-?\d[\d.eE+-]*|[[\]{},:]/g

/** Reads over text that is known to be JSON, or to be what stands before too deep a place. */
function* scan(text: string, levels: Levels, matters: (levels: Levels) => boolean): Steps.Steps<Problem | undefined> {
  const next = new RegExp(token)
  let tokens = 0
  for (let match = next.exec(text); match !== null; match = next.exec(text)) {
    if (++tokens % Steps.tokensAtOnce === 0) yield
    const [lexeme] = match
    const level = levels.at(-1)
    const first = lexeme[0]
    if (first === "{") levels.push({ keys: new Set(), at: "", expectsKey: true })
    else if (first === "[") levels.push({ keys: null, at: 0, expectsKey: false })
    else if (first === "}" || first === "]") levels.pop()
    else if (first === ",") {
      if (level?.keys === null) level.at = (level.at as number) + 1
      else if (level !== undefined) level.expectsKey = true
    } else if (first === '"') {
      next.lastIndex = JsonText.endOfString(text, match.index) + 1
      const constraint = readString(text.slice(match.index, next.lastIndex), level)
      if (constraint !== undefined && matters(levels)) return { field: pathOf(levels), constraint }
    } else if (first !== ":" && !survivesDouble(lexeme) && matters(levels)) {
      return { field: pathOf(levels), constraint: "must be a number that a double holds exactly; send it as a string" }
    }
  }
  return undefined
}

/** What is wrong with the string that begins here. */
const readString = (lexeme: string, level: Level | undefined): string | undefined => {
  const text = JsonText.stringOf(lexeme)
  if (level?.keys && level.expectsKey) {
    level.at = text.toWellFormed()
    level.expectsKey = false
    if (level.keys.has(text)) return "must not be given twice"
    level.keys.add(text)
  }
  return text.isWellFormed() ? undefined : "must be well-formed Unicode, without lone surrogates"
}

function* tooDeep(before: string): Steps.Steps<Problem> {
  const levels: Levels = []
  yield* scan(before, levels, () => false)
  return { field: pathOf(levels), constraint: `must not be nested deeper than ${maxDepth} levels` }
}

/** `metadata.tags[2]`, as long as a person would read it. */
const pathOf = (levels: ReadonlyArray<Level>): string => {
  let path = ""
  for (const { at, keys } of levels) {
    if (path.length > maxPath) break
    if (keys === null) path += `[${at}]`
    else if (at !== "") path += path === "" ? shownKey(at) : `.${shownKey(at)}`
  }
  return path === "" ? "body" : path.slice(0, maxPath).toWellFormed()
}

const maxPath = 200

/** As much of a caller's key as a place shows. */
export const shownKey = (key: PropertyKey): string => String(key).slice(0, 64).toWellFormed()

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
