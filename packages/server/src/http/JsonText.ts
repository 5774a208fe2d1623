/** Where things begin and end in a JSON text. Nothing here minds what is no JSON: telling that is JSON.parse's. */
import * as Result from "effect/Result"

const [quote, openList, backslash, closeList, openObject, closeObject] = [34, 91, 92, 93, 123, 125]

/** Where the string that begins at `start` ends: its last quote, or the last character of a text that lacks it. */
export const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1
  return Math.min(at, text.length - 1)
}

/** What a string's text with its quotes stands for. */
export const stringOf = (lexeme: string): string =>
  lexeme.includes("\\")
    ? Result.getOrElse(
        Result.try(() => JSON.parse(lexeme) as string),
        () => lexeme
      )
    : lexeme.slice(1, -1)

/** Where the first list or object lies inside that many others. */
export const deeperThan = (text: string, levels: number): number | undefined => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === openList || code === openObject) {
      if (depth === levels) return at
      depth++
    } else if (code === closeList || code === closeObject) depth--
  }
  return undefined
}
