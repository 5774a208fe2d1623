/**
 * Polls a topic's status every 30 to 60 seconds for up to two days, as the service recommends. With a test key it polls
 * every 1 to 2 seconds. A webhook is faster and costs no requests.
 */
import { ApiError, WaitTimeoutError } from "./Errors.ts"
import type { RequestOptions, ResponseInfo } from "./Options.ts"
import { pause, withTimeout } from "./Pause.ts"
import type { RateLimit } from "./RateLimit.ts"
import { isTemporaryFailure, requestedDelay } from "./Retry.ts"
import type { TopicDetail, TopicProgress } from "./Topic.ts"

export interface WaitOptions extends RequestOptions {
  /**
   * `completed` (default): no further commentary will come. `first`: at least one commentary is ready, or none will
   * come.
   */
  readonly until?: "completed" | "first" | undefined
  /**
   * Total waiting time in milliseconds. The default is 48 hours. The time does not limit single requests. After this
   * time, the topic is polled once more with a timeout of 10 seconds.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Each pause is a random time between this value and twice this value, in milliseconds. The default is 30,000, or
   * 1,000 with a key that begins with `pk_test_`. After half of the rate limit's window is used, pauses grow so that
   * the rest lasts until the reset.
   */
  readonly intervalMs?: number | undefined
  /** The function is called with the first status and with every change. */
  readonly onProgress?: ((status: TopicProgress) => void) | undefined
}

/** The requests that polling needs. */
export interface PollRequests {
  readonly status: (id: string, options: RequestOptions) => Promise<TopicProgress>
  readonly get: (id: string, options: RequestOptions) => Promise<TopicDetail>
}

const twoDays = 48 * 3600 * 1000
const lastLookMs = 10_000

/** The second half of the window is distributed evenly, so that polling never exhausts it. */
export const pauseForRateLimit = (limit: RateLimit | null): number =>
  limit === null || limit.remaining * 2 >= limit.limit ? 0 : limit.resetsInMs / (limit.remaining + 1)

const reached = (status: TopicProgress, until: WaitOptions["until"]) =>
  status.overall_status === "completed" || (until === "first" && status.personas.some((each) => each.has_commentary))

/** `simulated` is called before each pause, because a fetched key is unknown before the first request. */
export const waitForTopic = async (
  topics: PollRequests,
  simulated: () => boolean,
  id: string,
  options: WaitOptions = {}
): Promise<TopicDetail> => {
  const { intervalMs, onProgress, onResponse, signal, timeoutMs = twoDays, until, ...rest } = options
  let last: TopicProgress | null = null
  let limit: RateLimit | null = null
  const watched = (response: ResponseInfo) => {
    limit = response.rateLimit
    onResponse?.(response)
  }

  /** Returns a status or a temporary error. After the first success, outages do not end the wait. */
  const poll = async (request: RequestOptions): Promise<TopicProgress | Error> => {
    try {
      const seen = await topics.status(id, request)
      if (onProgress !== undefined && JSON.stringify(seen) !== JSON.stringify(last)) onProgress(seen)
      last = seen
      return seen
    } catch (error) {
      request.signal?.throwIfAborted()
      const passes = isTemporaryFailure(error) && (last !== null || (error instanceof ApiError && error.status === 429))
      if (!passes) throw error
      return error as Error
    }
  }

  const waiting = async (signal: AbortSignal): Promise<TopicDetail> => {
    const request = { ...rest, signal, onResponse: watched }
    for (;;) {
      const seen = await poll(request)
      const isError = seen instanceof Error
      if (!isError && reached(seen, until)) return topics.get(id, request)
      const asked = isError ? (requestedDelay(seen) ?? 0) : 0
      const interval = intervalMs ?? (simulated() ? 1000 : 30_000)
      await pause(Math.max(interval * (1 + Math.random()), pauseForRateLimit(limit), asked), signal)
    }
  }

  /** The last status may be minutes old, so the function polls again. */
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
