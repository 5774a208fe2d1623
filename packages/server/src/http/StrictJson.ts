/**
 * Parses JSON strictly and rejects text that JSON.parse would change silently. Problems are duplicate keys, numbers
 * that a double cannot represent, lone surrogates and deep nesting. The parser reports the location of the first
 * problem, and builds a path only for that problem.
 */
import type { RequestProblem } from "@partner-commentary/api/Errors"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as JsonText from "./JsonText.ts"
import * as Steps from "./Steps.ts"

/** The maximum nesting depth below the outermost level of the body. */
export const maxNestingDepth = 32

/**
 * Parsing fails with the first problem, whose `field` is `body` or a path into the body. `fields` names the outermost
 * members that the service uses. If `fields` is given, members that `fields` does not name are checked only for valid
 * JSON and nesting depth.
 */
export const parseStrictJson = (text: string, fields?: ReadonlySet<string>): Result.Result<unknown, RequestProblem> =>
  Steps.runWithoutYielding(parsing(text, fields))

/** Works like `parseStrictJson`, but parses a long text in steps. Other requests can run between the parsing steps. */
export const parseStrictJsonInSteps = (
  text: string,
  fields?: ReadonlySet<string>
): Effect.Effect<Result.Result<unknown, RequestProblem>> => Steps.runInSteps(parsing(text, fields))

function* parsing(
  text: string,
  fields?: ReadonlySet<string>
): Steps.ProcessingSteps<Result.Result<unknown, RequestProblem>> {
  const deep = JsonText.findTooDeepNesting(text, maxNestingDepth + 1)
  // Check the depth before JSON.parse runs, because JSON.parse is slow on deeply nested text.
  if (deep !== undefined) return Result.fail(yield* tooDeep(text.slice(0, deep)))
  const parsed = Result.try(() => JSON.parse(text) as unknown)
  if (Result.isFailure(parsed)) return Result.fail({ field: "body", constraint: "must be valid JSON" })
  if (text.length > maxCodeUnitsPerStep) yield
  const problem = yield* scan(text, [], (levels) => fields === undefined || fields.has(String(levels[0]?.at ?? "")))
  return problem === undefined ? Result.succeed(parsed.success) : Result.fail(problem)
}

/** The maximum length of a text that is parsed in one step, in UTF-16 code units. */
export const maxCodeUnitsPerStep = 16_384

interface Level {
  /** The object keys that the parser has read so far; null in an array. */
  readonly keys: Set<string> | null
  at: string | number
  expectsKey: boolean
}

type Levels = Array<Level>

/** Matches the start of a string, a number, or a structural character. `endOfString` finds the end of a string. */
const token = /"|-?\d[\d.eE+-]*|[[\]{},:]/g

/**
 * Scans the text for problems. The text must be valid JSON at least up to the first value that is nested too deeply.
 */
function* scan(
  text: string,
  levels: Levels,
  matters: (levels: Levels) => boolean
): Steps.ProcessingSteps<RequestProblem | undefined> {
  const next = new RegExp(token)
  let tokens = 0
  for (let match = next.exec(text); match !== null; match = next.exec(text)) {
    if (++tokens % Steps.tokensPerStep === 0) yield
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
      next.lastIndex = JsonText.findEndOfString(text, match.index) + 1
      const constraint = readString(text.slice(match.index, next.lastIndex), level)
      if (constraint !== undefined && matters(levels)) return { field: pathOf(levels), constraint }
    } else if (first !== ":" && !survivesDouble(lexeme) && matters(levels)) {
      return { field: pathOf(levels), constraint: "must be a number that a double holds exactly; send it as a string" }
    }
  }
  return undefined
}

/** Returns the constraint that the string violates, or undefined if the string is valid. */
const readString = (lexeme: string, level: Level | undefined): string | undefined => {
  const text = JsonText.decodeStringLiteral(lexeme)
  if (level?.keys && level.expectsKey) {
    level.at = text.toWellFormed()
    level.expectsKey = false
    if (level.keys.has(text)) return "must not be given twice"
    level.keys.add(text)
  }
  return text.isWellFormed() ? undefined : "must be well-formed Unicode, without lone surrogates"
}

function* tooDeep(before: string): Steps.ProcessingSteps<RequestProblem> {
  const levels: Levels = []
  yield* scan(before, levels, () => false)
  return { field: pathOf(levels), constraint: `must not be nested deeper than ${maxNestingDepth} levels` }
}

/** Returns a readable path such as `metadata.tags[2]`, with a limited length. */
const pathOf = (levels: ReadonlyArray<Level>): string => {
  let path = ""
  for (const { at, keys } of levels) {
    if (path.length > maxPath) break
    if (keys === null) path += `[${at}]`
    else if (at !== "") path += path === "" ? shortenKey(at) : `.${shortenKey(at)}`
  }
  return path === "" ? "body" : path.slice(0, maxPath).toWellFormed()
}

const maxPath = 200

/** Shortens a key from the request JSON to 64 characters, for the field path of an error. */
export const shortenKey = (key: PropertyKey): string => String(key).slice(0, 64).toWellFormed()

/** Returns whether a double represents the number exactly. */
const survivesDouble = (source: string): boolean => {
  if (/^-?\d{1,15}$/.test(source)) return true
  const double = Number(source)
  return Number.isFinite(double) && canonical(source) === canonical(String(double))
}

/** Returns the significant digits of the number and the exponent of the first digit, as one comparable text. */
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
