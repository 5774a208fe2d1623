/**
 * Scans JSON in steps of a few milliseconds and creates no values, because JSON.parse blocks for a second on megabytes
 * of small values. The scanner reports the keys and the positions of the values.
 */
import * as Result from "effect/Result"
import * as JsonText from "./JsonText.ts"
import { type ProcessingSteps, tokensPerStep } from "./Steps.ts"

/** In the visitor's callbacks, `depth` is 0 for the outermost value and 1 for the members of the outermost value. */
export interface JsonVisitor {
  readonly key?: (depth: number, name: string) => void
  /** The scanner calls `begin` at the start of each value. The scan stops if the callback returns false. */
  readonly begin: (depth: number, at: number, kind: "object" | "array" | "scalar") => unknown
  /** The scanner calls `end` after each value. `end` is the index of the first character after the value. */
  readonly end: (depth: number, end: number) => void
}

/** The kinds of token that are valid at the present position. */
type Expected = "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd"

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/**
 * Returns whether the text is exactly one JSON value. The scan stops at the first invalid character, or when the
 * visitor returns false.
 */
export function* read(text: string, { begin, end, key = () => {} }: JsonVisitor): ProcessingSteps<boolean> {
  const open: Array<"object" | "array"> = []
  let expected: Expected = "value"
  let tokens = 0

  const close = (kind: "object" | "array", at: number): boolean => {
    const isDue = expected === (kind === "object" ? "keyOrEnd" : "valueOrEnd") || expected === "commaOrEnd"
    if (!isDue || open.pop() !== kind) return false
    end(open.length, at + 1)
    expected = "commaOrEnd"
    return true
  }

  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (character === " " || character === "\n" || character === "\r" || character === "\t") continue
    if (++tokens % tokensPerStep === 0) yield
    if (character === "}" || character === "]") {
      if (!close(character === "}" ? "object" : "array", at)) return false
    } else if (character === ",") {
      const holder = open.at(-1)
      if (expected !== "commaOrEnd" || holder === undefined) return false
      expected = holder === "object" ? "key" : "value"
    } else if (character === ":") {
      if (expected !== "colon") return false
      expected = "value"
    } else if (expected === "key" || expected === "keyOrEnd") {
      const last = endOfString(text, at)
      if (last === undefined) return false
      key(open.length, JsonText.decodeStringLiteral(text.slice(at, last + 1)))
      at = last
      expected = "colon"
    } else if (expected !== "value" && expected !== "valueOrEnd") {
      return false
    } else if (character === "{" || character === "[") {
      const kind = character === "{" ? "object" : "array"
      if (begin(open.length, at, kind) === false) return false
      open.push(kind)
      expected = kind === "object" ? "keyOrEnd" : "valueOrEnd"
    } else {
      const last = character === '"' ? endOfString(text, at) : endOfScalar(text, at)
      if (last === undefined) return false
      if (begin(open.length, at, "scalar") === false) return false
      end(open.length, last + 1)
      at = last
      expected = "commaOrEnd"
    }
  }
  return open.length === 0 && expected === "commaOrEnd"
}

/** Returns the index of the closing quote; undefined if no valid string starts at the index `at`. */
const endOfString = (text: string, at: number): number | undefined => {
  if (text[at] !== '"') return undefined
  const last = JsonText.findEndOfString(text, at)
  const lexeme = text.slice(at, last + 1)
  if (last === at || text[last] !== '"') return undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows control characters only in escaped form.
  const isPlain = !/[\\\u0000-\u001f]/.test(lexeme)
  return isPlain || Result.isSuccess(Result.try(() => JSON.parse(lexeme))) ? last : undefined
}

const endOfScalar = (text: string, at: number): number | undefined => {
  scalar.lastIndex = at
  return scalar.test(text) ? scalar.lastIndex - 1 : undefined
}
