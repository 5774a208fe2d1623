/** Whether a failed attempt is made again, and after how long. That it is safe to repeat is for Connection to see to. */
import { ApiError, ConnectionError, UnexpectedAnswerError } from "./Errors.ts"
import { retryAfterOf } from "./RateLimit.ts"

const firstPauseMs = 500
const longestPauseMs = 8000

/** Worth another attempt: passing trouble of the service, or of what stands before it. */
const passing = new Set([408, 429, 500, 502, 503, 504])

/** A used-up monthly quota is no passing trouble. */
const quotaUsedUp = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "rate_limit_exceeded" && error.details?.quota !== undefined

/** How long the service asked to wait, in milliseconds; null when it did not. */
export const askedToWait = (error: unknown): number | null => {
  if (!(error instanceof ApiError) && !(error instanceof UnexpectedAnswerError)) return null
  const header = retryAfterOf(error.headers)
  if (header !== null || !(error instanceof ApiError) || error.code !== "rate_limit_exceeded") return header
  const seconds = error.details?.retry_after
  return typeof seconds === "number" ? seconds * 1000 : null
}

export const isPassing = (error: unknown): boolean => {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ApiError) && !(error instanceof UnexpectedAnswerError)) return false
  return passing.has(error.status) && !quotaUsedUp(error)
}

/**
 * Milliseconds until the next attempt after `attempt` of them, or null where there is none. Without `Retry-After`, any
 * time up to 0.5, 1, 2, 4, 8 seconds; with one, that time and up to a second more, so that callers don't come back at once.
 */
export const pauseAfter = (error: unknown, attempt: number, mostMs: number, luck: number): number | null => {
  if (!isPassing(error)) return null
  const asked = askedToWait(error)
  if (asked === null) return Math.min(mostMs, luck * Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1)))
  return asked > mostMs ? null : asked + luck * Math.min(1000, asked)
}
