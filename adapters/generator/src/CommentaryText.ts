/**
 * Cleans the text that a model returned, and refuses a text that is not an acceptable commentary. The module does not
 * escape the text for HTML, because each page escapes the text that the page shows.
 */
import {
  type CommentaryGenerationRequest,
  GenerationFailed,
  maxCommentaryLength
} from "@partner-commentary/core/commentary/CommentaryGenerator"
import { toPlainText } from "@partner-commentary/core/shared/Text"
import * as Result from "effect/Result"
import { promptDelimiters, promptRules } from "./Prompt.ts"

const quotes = ['""', "''", "“”", "‘’", "«»", "„“", "「」"].map((pair) => [pair.charAt(0), pair.charAt(1)] as const)

/**
 * Removes a code fence or a pair of quotation marks around the whole text. In `"Yes," he said, "no"`, the function
 * keeps all quotation marks, because the first mark and the last mark are not a pair.
 */
const removeWrapping = (text: string): string => {
  const fence = /^```[^\n`]*\n/u.exec(text)
  if (fence !== null && text.endsWith("\n```")) return text.slice(fence[0].length, -3).trim()
  for (const [open, close] of quotes) {
    const inner = text.slice(1, -1)
    const wrapped = text.length > 1 && text.startsWith(open) && text.endsWith(close)
    if (wrapped && !inner.includes(close)) return inner.trim()
  }
  return text
}

/** Removes the `<think>` section that reasoning models write before the text. */
const withoutThinking = (text: string): string => {
  const end = text.startsWith("<think>") ? text.indexOf("</think>") : -1
  return end < 0 ? text : text.slice(end + "</think>".length).trim()
}

const markup = /<(?:[a-z/?]|!--|!doctype)/iu

/** Matches URLs with a scheme, and bare hosts with a path or a common top-level domain. */
const address =
  /[a-z][a-z0-9+.-]{1,20}:\/\/\S+|\b(?:javascript|data|mailto):\S+|www\.\S+|(?<![\p{L}\p{N}-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?:\p{L}{2,24}\/\S*|(?:com|net|org|info|biz|io|co|ai|app|dev|me|tv|gg|bet|xyz|site|online|shop)(?![\p{L}\p{N}-]))/giu

/**
 * Returns the normalized web and mail addresses of a text. For example, `https://www.Example.com/` and `example.com`
 * have the same normalized address.
 */
const addresses = (text: string): ReadonlyArray<string> =>
  (text.match(address) ?? []).map((found) =>
    found
      .toLowerCase()
      .replace(/^https?:\/\//u, "")
      .replace(/^www\./u, "")
      .replace(/[^\p{L}\p{N}]{1,20}$/u, "")
  )

const foldCase = (text: string): string => text.toLowerCase().replace(/\s+/gu, " ")

const secrets = [...promptDelimiters, ...promptRules].map(foldCase)

const refuse = (reason: string) => Result.fail(new GenerationFailed({ permanent: false, reason }))

/**
 * Extracts the commentary from the text of a model. All refusals are temporary, because the model's next response may
 * be acceptable. The reason of a refusal never quotes the model's text.
 */
export const cleanAndValidateCommentary = (
  text: string,
  request: Pick<CommentaryGenerationRequest, "topic" | "perspective">
): Result.Result<string, GenerationFailed> => {
  const commentary = removeWrapping(removeWrapping(withoutThinking(toPlainText(text))))
  if (commentary === "") return refuse("the answer is empty")
  if (commentary.length > 2 * maxCommentaryLength || Array.from(commentary).length > maxCommentaryLength) {
    return refuse(`the answer is longer than ${maxCommentaryLength} characters`)
  }
  if (markup.test(commentary)) return refuse("the answer holds markup")
  const known = new Set(addresses(`${request.topic}\n${request.perspective}`))
  if (addresses(commentary).some((found) => !known.has(found))) {
    return refuse("the answer holds a web address that neither the topic nor the perspective gives")
  }
  const said = foldCase(commentary)
  return secrets.some((secret) => said.includes(secret))
    ? refuse("the answer repeats the prompt")
    : Result.succeed(commentary)
}
