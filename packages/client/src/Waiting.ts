/**
 * Waits for a topic for up to two days. Requests wait in the service for a change of the status. If the service does
 * not support waiting, the client polls the status every 30 to 60 seconds, with a test key every 1 to 2 seconds.
 */
import { ApiError, UnexpectedAnswerError, WaitTimeoutError } from "./Errors.ts"
import type { RequestOptions, ResponseInfo } from "./Options.ts"
import { pause, withTimeout } from "./Pause.ts"
import type { RateLimit } from "./RateLimit.ts"
import { isTemporaryFailure, requestedDelay } from "./Retry.ts"
import type { TopicDetail, TopicProgress } from "./Topic.ts"

export interface WaitOptions extends RequestOptions {
  /**
   * `completed` (the default) waits until no further commentary will come. `first` waits until a commentary is ready,
   * or until none will come.
   */
  readonly until?: "completed" | "first" | undefined
  /**
   * The maximum waiting time in milliseconds. The default is 48 hours. The maximum does not limit single requests.
   * After this time, the client polls the topic once more with a timeout of 10 seconds.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Each pause is a random time between this value and twice this value, in milliseconds. The default is 30,000, or
   * 1,000 with a key that begins with `pk_test_`. After a request that waited in the service for a change, no pause
   * follows. When half of the rate limit is used, pauses grow so that the remaining requests last until the reset.
   */
  readonly intervalMs?: number | undefined
  /** The client calls this function with the first status and with every changed status. */
  readonly onProgress?: ((status: TopicProgress) => void) | undefined
}

/** The requests that `waitFor` sends. */
export interface PollRequests {
  readonly status: (id: string, options: RequestOptions) => Promise<TopicProgress>
  readonly get: (id: string, options: RequestOptions) => Promise<TopicDetail>
}

/**
 * The kind of the key and the timeout. If a function fetches the key, the kind is unknown before the first request.
 */
export interface PollConnection {
  readonly isTest: boolean
  readonly timeoutMs: number
}

const twoDays = 48 * 3600 * 1000
const lastLookMs = 10_000
export const longestWaitSeconds = 25
/** The time in addition to the wait in the service after which the request times out. */
export const responseTimeMs = 10_000
/** The minimum time between two waiting requests, because a stopping service responds to such requests at once. */
export const minPauseMs = 1000

/**
 * Returns the pause that distributes the second half of the rate limit evenly, so that polling never exhausts the
 * limit.
 */
export const pauseForRateLimit = (limit: RateLimit | null): number =>
  limit === null || limit.remaining * 2 >= limit.limit ? 0 : limit.resetsInMs / (limit.remaining + 1)

const reached = (status: TopicProgress, until: WaitOptions["until"]) =>
  status.overall_status === "completed" || (until === "first" && status.personas.some((each) => each.has_commentary))

/** Proxies and browsers may hide the header, so the duration of the request counts too. */
export const hasWaited = ({ durationMs, headers }: ResponseInfo) =>
  durationMs >= minPauseMs || /^\s*wait\b/i.test(headers.get("preference-applied") ?? "")

/** Returns the pause between polls of a service that answers at once. */
export const defaultPause = ({ isTest }: Pick<PollConnection, "isTest">, intervalMs = isTest ? 1000 : 30_000): number =>
  intervalMs * (1 + Math.random())

/** Waits for a topic. Resolves with the topic, or rejects with WaitTimeoutError. */
export const waitForTopic = async (
  topics: PollRequests,
  connection: PollConnection,
  id: string,
  options: WaitOptions = {}
): Promise<TopicDetail> => {
  const { intervalMs, onProgress, onResponse, signal, timeoutMs = twoDays, until, ...rest } = options
  const end = Date.now() + timeoutMs
  let last: TopicProgress | null = null
  let limit: RateLimit | null = null
  let answer: ResponseInfo | null = null
  /** The entity tag of the status `last`. */
  let tag: string | null = null
  const watched = (response: ResponseInfo) => {
    limit = response.rateLimit
    answer = response
    onResponse?.(response)
  }

  /**
   * Request a wait only with an entity tag. Without a tag, the service would wait even if the topic is already
   * completed.
   */
  const untilChange = (request: RequestOptions): RequestOptions => {
    if (tag === null) return request
    const wait = Math.min(longestWaitSeconds, Math.floor((end - Date.now()) / 1000))
    const headers = { ...request.headers, "if-none-match": tag }
    if (wait < 1) return { ...request, headers }
    const timeoutMs = Math.max(connection.timeoutMs, wait * 1000 + responseTimeMs)
    return { ...request, headers: { ...headers, prefer: `wait=${wait}` }, timeoutMs }
  }

  /**
   * The first request with a tag follows after a short pause, because the service can delay its response until a
   * change. The response to the first request shows whether the service supports waiting.
   */
  const pauseAfter = (seen: TopicProgress | Error, known: string | null): number => {
    const usual = defaultPause(connection, intervalMs)
    if (seen instanceof Error) return Math.max(usual, requestedDelay(seen) ?? 0)
    if (answer === null || tag === null || (known !== null && !hasWaited(answer))) return usual
    return Math.min(intervalMs ?? minPauseMs, minPauseMs) - answer.durationMs
  }

  /**
   * Polls once and returns a status or a temporary error. After the first successful poll, outages do not end the wait.
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
      if (!(seen instanceof Error) && reached(seen, until)) return topics.get(id, request)
      await pause(Math.max(pauseAfter(seen, known), pauseForRateLimit(limit)), signal)
    }
  }

  /** Polls once more after the timeout, because the last status may be minutes old. */
  const lastPoll = async (): Promise<TopicDetail> => {
    const request = { ...rest, signal, onResponse: watched }
    if (last !== null) {
      const seen = await poll({ ...request, maxRetries: 0, timeoutMs: lastLookMs })
      if (!(seen instanceof Error) && reached(seen, until)) return topics.get(id, request)
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
