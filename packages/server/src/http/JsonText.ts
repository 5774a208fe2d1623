/**
 * Finds boundaries in JSON text. The functions do not validate the text, because JSON.parse validates the same text.
 */
import * as Result from "effect/Result"

const [quote, colon, openList, backslash, closeList, openObject, closeObject] = [34, 58, 91, 92, 93, 123, 125]

/** Returns the index of the closing quote, or of the last character if the quote is missing. */
export const findEndOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return Math.min(at, text.length - 1)
}

/** Decodes a JSON string literal, including its quotes. */
export const decodeStringLiteral = (lexeme: string): string =>
  lexeme.includes("\\")
    ? Result.getOrElse(
        Result.try(() => JSON.parse(lexeme) as string),
        () => lexeme
      )
    : lexeme.slice(1, -1)

/** Returns whether all objects in the text together have more members than the limit. */
export const exceedsMemberLimit = (text: string, limit: number): boolean => {
  if (text.length <= limit) return false
  let members = 0
  for (let at = 0; at < text.length && members <= limit; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = findEndOfString(text, at)
    else if (code === colon) members++
  }
  return members > limit
}

/** Returns the index of the first array or object that is nested in `levels` other arrays and objects. */
export const findTooDeepNesting = (text: string, levels: number): number | undefined => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = findEndOfString(text, at)
    else if (code === openList || code === openObject) {
      if (depth === levels) return at
      depth++
    } else if (code === closeList || code === closeObject) depth--
  }
  return undefined
}
