/**
 * What an OpenAI-compatible server's error answers mean. Pure; keeping keys out of the reasons, which quote the server, is the
 * caller's. Temporary is what another attempt may mend; permanent needs another key, model, request or text.
 */

export interface Refusal {
  readonly permanent: boolean
  readonly reason: string
}

const policyCodes = new Set(["content_policy_violation", "content_filter", "moderation_blocked"])
const temporaryStatuses = new Set([402, 408, 409, 425, 429])

export const quoted = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, " ").trim()

const textOf = (value: unknown): string => (typeof value === "string" ? quoted(value) : "")

const field = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? (error as Record<string, unknown>)[name] : undefined

/** `error` is what the server put under that name. A refused key is never described in the server's words. */
export const refusal = (status: number | undefined, error: unknown): Refusal => {
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

/** Fit for a log: short, and without the key even where the server's own words hold it (replaced before the cut). */
export const loggable =
  (key: string | undefined) =>
  ({ permanent, reason }: Refusal): Refusal => {
    const redacted = key === undefined ? reason : reason.replaceAll(key, "[key]")
    return { permanent, reason: Array.from(redacted).slice(0, longestReason).join("") }
  }
