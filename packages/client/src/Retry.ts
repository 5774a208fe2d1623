/**
 * Decides whether and when a failed attempt is retried. Retries are safe, because the module Connection sends an
 * idempotency key with each POST.
 */
import { ApiError, ConnectionError, UnexpectedAnswerError } from "./Errors.ts"
import { parseRetryAfterMs } from "./RateLimit.ts"

const firstPauseMs = 500
const longestPauseMs = 8000

/** The HTTP statuses of temporary failures of the service or of a proxy. */
const passing = new Set([408, 429, 500, 502, 503, 504])

/** Returns whether the call failed because a monthly quota is used up, which is not a temporary failure. */
const quotaUsedUp = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "rate_limit_exceeded" && error.details?.quota !== undefined

/**
 * Returns the delay in milliseconds that the service requested in `Retry-After` or in the error details; null if the
 * service requested no delay.
 */
export const findRequestedDelayMs = (error: unknown): number | null => {
  if (!(error instanceof ApiError) && !(error instanceof UnexpectedAnswerError)) return null
  const header = parseRetryAfterMs(error.headers)
  if (header !== null || !(error instanceof ApiError) || error.code !== "rate_limit_exceeded") return header
  const seconds = error.details?.retry_after
  return typeof seconds === "number" ? seconds * 1000 : null
}

export const isTemporaryFailure = (error: unknown): boolean => {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof ApiError) && !(error instanceof UnexpectedAnswerError)) return false
  return passing.has(error.status) && !quotaUsedUp(error)
}

/** Returns a random delay in milliseconds. The maximum delay doubles with each attempt, from 0.5 to 8 seconds. */
export const computeBackoffMs = (attempt: number, random: number): number =>
  random * Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1))

/**
 * Returns the milliseconds until the next attempt, or null if the client must not retry. Without `Retry-After`, the
 * delay is a random backoff. With `Retry-After`, the delay is the header's time plus a random part of a second, so that
 * callers do not retry simultaneously.
 */
export const computeRetryDelayMs = (error: unknown, attempt: number, maxMs: number, random: number): number | null => {
  if (!isTemporaryFailure(error)) return null
  const asked = findRequestedDelayMs(error)
  if (asked === null) return Math.min(maxMs, computeBackoffMs(attempt, random))
  return asked > maxMs ? null : asked + random * Math.min(1000, asked)
}
