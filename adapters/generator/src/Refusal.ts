/**
 * Interprets error responses of an OpenAI-compatible server. All functions of this module are pure. An error reason may
 * contain the server's own message, so the caller removes the API key from the reason. A retry may fix a temporary
 * error. A retry cannot fix a permanent error, because the same key, model, request or text is refused again.
 */

export interface OpenAiFailure {
  readonly permanent: boolean
  readonly reason: string
}

const policyCodes = new Set(["content_policy_violation", "content_filter", "moderation_blocked"])
const temporaryStatuses = new Set([402, 408, 409, 425, 429])

export const collapseWhitespace = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, " ").trim()

const textOf = (value: unknown): string => (typeof value === "string" ? collapseWhitespace(value) : "")

const field = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? (error as Record<string, unknown>)[name] : undefined

/**
 * Describes an error response of the server. The parameter `error` is the field `error` of the response body. When the
 * server refuses the key, the reason does not contain the server's message.
 */
export const describeErrorResponse = (status: number | undefined, error: unknown): OpenAiFailure => {
  const codes = [field(error, "code"), field(error, "type")].map(textOf)
  const credentials = status === 401 || status === 403
  const policy = codes.some((code) => policyCodes.has(code))
  const words = credentials ? "" : textOf(typeof error === "string" ? error : field(error, "message"))
  const code = codes.find((name) => name !== "")
  return {
    permanent: policy || (status !== undefined && status < 500 && !temporaryStatuses.has(status)),
    reason: [
      policy ? "refused by content policy:" : credentials ? "the credentials were refused:" : "the server answered",
      status ?? "with an error",
      ...(code === undefined ? [] : [`(${code})`]),
      ...(words === "" ? [] : [`"${words}"`])
    ].join(" ")
  }
}

const longestReason = 300

/** Removes the API key from the reason of an error, and then shortens the reason. */
export const redactForLog =
  (key: string | undefined) =>
  ({ permanent, reason }: OpenAiFailure): OpenAiFailure => {
    const redacted = key === undefined ? reason : reason.replaceAll(key, "[key]")
    return { permanent, reason: Array.from(redacted).slice(0, longestReason).join("") }
  }
