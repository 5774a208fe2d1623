/**
 * Parses rate-limit headers. Times are relative to the server's `Date` header, so that a wrong local clock has no
 * effect.
 */

/** The hourly rate limit with the fewest remaining requests, from the `X-RateLimit` headers. */
export interface RateLimit {
  readonly limit: number
  readonly remaining: number
  /** The number of milliseconds until the rate limit resets. */
  readonly resetsInMs: number
}

const number = (headers: Headers, name: string): number => Number.parseInt(headers.get(name) ?? "", 10)

const serverNow = (headers: Headers): number => Date.parse(headers.get("date") ?? "") || Date.now()

export const parseRateLimit = (headers: Headers): RateLimit | null => {
  const limit = number(headers, "x-ratelimit-limit")
  const remaining = number(headers, "x-ratelimit-remaining")
  const resetsInMs = Math.max(0, number(headers, "x-ratelimit-reset") * 1000 - serverNow(headers))
  return Number.isNaN(limit + remaining + resetsInMs) ? null : { limit, remaining, resetsInMs }
}

/** Returns the delay of a `Retry-After` header in milliseconds. Returns null if the header is missing or invalid. */
export const parseRetryAfterMs = (headers: Headers): number | null => {
  const text = headers.get("retry-after")?.trim() ?? ""
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - serverNow(headers))
}
