/** What an answer's headers say about waiting. Times are the server's: a wrong clock on this side changes nothing. */

/** The hourly window with the fewest requests left, as the answer's `X-RateLimit` headers described it. */
export interface RateLimit {
  readonly limit: number
  readonly remaining: number
  /** Milliseconds until the window starts anew. */
  readonly resetsInMs: number
}

const number = (headers: Headers, name: string): number => Number.parseInt(headers.get(name) ?? "", 10)

const serverNow = (headers: Headers): number => Date.parse(headers.get("date") ?? "") || Date.now()

export const rateLimitOf = (headers: Headers): RateLimit | null => {
  const limit = number(headers, "x-ratelimit-limit")
  const remaining = number(headers, "x-ratelimit-remaining")
  const resetsInMs = Math.max(0, number(headers, "x-ratelimit-reset") * 1000 - serverNow(headers))
  return Number.isNaN(limit + remaining + resetsInMs) ? null : { limit, remaining, resetsInMs }
}

/** Milliseconds of `Retry-After`, seconds or a date; null without one that can be read. */
export const retryAfterOf = (headers: Headers): number | null => {
  const text = headers.get("retry-after")?.trim() ?? ""
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - serverNow(headers))
}
