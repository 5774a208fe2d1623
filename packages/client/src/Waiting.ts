/**
 * Waits for a topic, by default for up to two days. Each request waits in the service for a change of the status. If
 * the service responds without waiting, the client polls the status every 30 to 60 seconds, or every 1 to 2 seconds
 * with a test key.
 */
import { ApiError, UnexpectedAnswerError, WaitTimeoutError } from "./Errors.ts"
import type { RequestOptions, ResponseInfo } from "./Options.ts"
import { pause, withTimeout } from "./Pause.ts"
import type { RateLimit } from "./RateLimit.ts"
import { findRequestedDelayMs, isTemporaryFailure } from "./Retry.ts"
import type { TopicDetail, TopicProgress } from "./Topic.ts"

export interface WaitOptions extends RequestOptions {
  /**
   * `completed` (the default) waits until no further commentary will come. `first` waits until a commentary is ready,
   * or until no commentary will come.
   */
  readonly until?: "completed" | "first" | undefined
  /**
   * The maximum waiting time in milliseconds, by default 48 hours. The option `timeoutMs` of `waitFor` does not set the
   * timeout of each request. After `timeoutMs`, the client polls the topic once more with a timeout of 10 seconds.
   */
  readonly timeoutMs?: number | undefined
  /**
   * The minimum pause between two polls in milliseconds: by default 30,000, or 1,000 with a key that begins with
   * `pk_test_`. Each pause is a random time between `intervalMs` and twice `intervalMs`. The client does not pause
   * after a request that waited in the service for a change. When half of the rate limit is used, pauses become longer,
   * so that the remaining requests last until the limit resets.
   */
  readonly intervalMs?: number | undefined
  /** The client calls this function with the first status and with every changed status. */
  readonly onProgress?: ((status: TopicProgress) => void) | undefined
}

/** The requests that `waitFor` sends. */
export interface TopicPollRequests {
  readonly status: (id: string, options: RequestOptions) => Promise<TopicProgress>
  readonly get: (id: string, options: RequestOptions) => Promise<TopicDetail>
}

/**
 * The properties of the connection that `waitFor` needs. `isTest` is true for a test key, and false before the first
 * request if the key is a function.
 */
export interface TopicPollConnection {
  readonly isTest: boolean
  readonly timeoutMs: number
}

const twoDays = 48 * 3600 * 1000
const lastLookMs = 10_000
/** The longest time in seconds for which one request waits in the service. */
export const maxLongPollSeconds = 25
/** The timeout of a request that waits in the service exceeds the requested wait by this many milliseconds. */
export const longPollTimeoutMarginMs = 10_000
/**
 * The minimum time between two requests that wait in the service, in milliseconds, because a service that is stopping
 * responds to such requests immediately.
 */
export const minPollPauseMs = 1000

/**
 * Returns the pause before the next poll. After half of the rate limit is used, the pauses spread the other half evenly
 * until the reset, so that polling never exhausts the limit.
 */
export const computeRateLimitPauseMs = (limit: RateLimit | null): number =>
  limit === null || limit.remaining * 2 >= limit.limit ? 0 : limit.resetsInMs / (limit.remaining + 1)

const isReached = (status: TopicProgress, until: WaitOptions["until"]) =>
  status.overall_status === "completed" || (until === "first" && status.personas.some((each) => each.has_commentary))

/**
 * Returns whether the request waited in the service. Proxies and browsers may hide the header `Preference-Applied`, so
 * the result is also true for every request that took at least a second.
 */
export const wasLongPoll = ({ durationMs, headers }: ResponseInfo) =>
  durationMs >= minPollPauseMs || /^\s*wait\b/i.test(headers.get("preference-applied") ?? "")

/** Returns the pause between two polls for a service that responds without waiting for a change. */
export const computeDefaultPollPauseMs = (
  { isTest }: Pick<TopicPollConnection, "isTest">,
  intervalMs = isTest ? 1000 : 30_000
): number => intervalMs * (1 + Math.random())

/**
 * Waits until the topic has the progress that `until` requests. Resolves with the topic, or rejects with
 * WaitTimeoutError after the timeout.
 */
export const waitForTopic = async (
  topics: TopicPollRequests,
  connection: TopicPollConnection,
  id: string,
  options: WaitOptions = {}
): Promise<TopicDetail> => {
  const { intervalMs, onProgress, onResponse, signal, timeoutMs = twoDays, until, ...rest } = options
  const end = Date.now() + timeoutMs
  let last: TopicProgress | null = null
  let limit: RateLimit | null = null
  let answer: ResponseInfo | null = null
  /** The entity tag of the last status that a response contained. */
  let tag: string | null = null
  const watched = (response: ResponseInfo) => {
    limit = response.rateLimit
    answer = response
    onResponse?.(response)
  }

  /**
   * Adds `Prefer: wait` to a request if an entity tag is known. Without an entity tag, the service would wait for a
   * change even if the topic is already completed.
   */
  const untilChange = (request: RequestOptions): RequestOptions => {
    if (tag === null) return request
    const wait = Math.min(maxLongPollSeconds, Math.floor((end - Date.now()) / 1000))
    const headers = { ...request.headers, "if-none-match": tag }
    if (wait < 1) return { ...request, headers }
    const timeoutMs = Math.max(connection.timeoutMs, wait * 1000 + longPollTimeoutMarginMs)
    return { ...request, headers: { ...headers, prefer: `wait=${wait}` }, timeoutMs }
  }

  /**
   * Returns the pause after a poll. The client pauses only briefly before the first request with an entity tag, because
   * the service can wait for a change of the tagged status. The response to the first request with an entity tag shows
   * whether the service waits.
   */
  const pauseAfter = (seen: TopicProgress | Error, known: string | null): number => {
    const usual = computeDefaultPollPauseMs(connection, intervalMs)
    if (seen instanceof Error) return Math.max(usual, findRequestedDelayMs(seen) ?? 0)
    if (answer === null || tag === null || (known !== null && !wasLongPoll(answer))) return usual
    return Math.min(intervalMs ?? minPollPauseMs, minPollPauseMs) - answer.durationMs
  }

  /**
   * Polls once, and returns a status or a temporary error. After the first received status, temporary errors do not end
   * the wait.
   */
  const poll = async (request: RequestOptions): Promise<TopicProgress | Error> => {
    try {
      const seen = await topics.status(id, request)
      if (onProgress !== undefined && JSON.stringify(seen) !== JSON.stringify(last)) onProgress(seen)
      last = seen
      tag = (answer as ResponseInfo | null)?.headers.get("etag") ?? null
      return seen
    } catch (error) {
      request.signal?.throwIfAborted()
      if (last !== null && error instanceof UnexpectedAnswerError && error.status === 304) return last
      const passes = isTemporaryFailure(error) && (last !== null || (error instanceof ApiError && error.status === 429))
      if (!passes) throw error
      return error as Error
    }
  }

  const waiting = async (signal: AbortSignal): Promise<TopicDetail> => {
    const request = { ...rest, signal, onResponse: watched }
    for (;;) {
      const known = tag
      const seen = await poll(untilChange(request))
      if (!(seen instanceof Error) && isReached(seen, until)) return topics.get(id, request)
      await pause(Math.max(pauseAfter(seen, known), computeRateLimitPauseMs(limit)), signal)
    }
  }

  /** Polls once more after the timeout, because the last status may be minutes old. */
  const lastPoll = async (): Promise<TopicDetail> => {
    const request = { ...rest, signal, onResponse: watched }
    if (last !== null) {
      const seen = await poll({ ...request, maxRetries: 0, timeoutMs: lastLookMs })
      if (!(seen instanceof Error) && isReached(seen, until)) return topics.get(id, request)
    }
    const state = last === null ? "not seen" : (last as TopicProgress).overall_status
    throw new WaitTimeoutError(`Topic ${id} is ${state} after ${timeoutMs} ms.`, id, last)
  }

  const timedOut = Symbol("timed out")
  return withTimeout(timeoutMs, timedOut, signal, waiting).catch((error: unknown) => {
    if (error !== timedOut) throw error
    return lastPoll()
  })
}
