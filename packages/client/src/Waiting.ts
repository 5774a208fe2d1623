/**
 * Waiting for people: polls a topic's status as the service asks its partners to, every 30 to 60 seconds, for a day or
 * two. Simulated creators take seconds, so with a test key it polls every 1 to 2. A webhook tells sooner, and costs no
 * requests.
 */
import { ApiError, WaitTimeoutError } from "./Errors.ts"
import type { RequestOptions, ResponseInfo } from "./Options.ts"
import { pause, within } from "./Pause.ts"
import type { RateLimit } from "./RateLimit.ts"
import { askedToWait, isPassing } from "./Retry.ts"
import type { TopicDetail, TopicProgress } from "./Topic.ts"

export interface WaitOptions extends RequestOptions {
  /** `completed`: nothing more will come (as it is by default). `first`: at least one commentary is ready, or none will be. */
  readonly until?: "completed" | "first" | undefined
  /**
   * Milliseconds for all the waiting: 48 hours where it is left out. Not the time of one request. When they are over, the
   * topic is looked at once more, for which an answer has 10 seconds.
   */
  readonly timeoutMs?: number | undefined
  /**
   * Milliseconds: each pause between polls is this to twice this. Left out: 30,000, or 1,000 with a key that begins with
   * `pk_test_`. Once half of the rate limit's window is used up, pauses grow so that the rest lasts until its reset.
   */
  readonly intervalMs?: number | undefined
  /** Called with the first status that is seen, and with every one that differs from the last. */
  readonly onProgress?: ((status: TopicProgress) => void) | undefined
}

/** What is asked of the service meanwhile. */
export interface Polled {
  readonly status: (id: string, options: RequestOptions) => Promise<TopicProgress>
  readonly get: (id: string, options: RequestOptions) => Promise<TopicDetail>
}

const twoDays = 48 * 3600 * 1000
const lastLookMs = 10_000

/** The second half of a window is shared out evenly, so that polling alone never uses it up. */
const share = (limit: RateLimit | null) =>
  limit === null || limit.remaining * 2 >= limit.limit ? 0 : limit.resetsInMs / (limit.remaining + 1)

const reached = (status: TopicProgress, until: WaitOptions["until"]) =>
  status.overall_status === "completed" || (until === "first" && status.personas.some((each) => each.has_commentary))

/** `simulated` is asked before each pause: a key that a function fetches is not known before the first request. */
export const waitForTopic = async (
  topics: Polled,
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

  /**
   * What was seen, or what passing trouble came instead: once the topic was seen, an outage is no reason to give up what
   * takes days anyway.
   */
  const poll = async (request: RequestOptions): Promise<TopicProgress | Error> => {
    try {
      const seen = await topics.status(id, request)
      if (onProgress !== undefined && JSON.stringify(seen) !== JSON.stringify(last)) onProgress(seen)
      last = seen
      return seen
    } catch (error) {
      request.signal?.throwIfAborted()
      const passes = isPassing(error) && (last !== null || (error instanceof ApiError && error.status === 429))
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
      const asked = isError ? (askedToWait(seen) ?? 0) : 0
      const interval = intervalMs ?? (simulated() ? 1000 : 30_000)
      await pause(Math.max(interval * (1 + Math.random()), share(limit), asked), signal)
    }
  }

  /** What was seen minutes ago may be long over. */
  const lastLook = async (): Promise<TopicDetail> => {
    const request = { ...rest, signal, onResponse: watched }
    if (last !== null) {
      const seen = await poll({ ...request, maxRetries: 0, timeoutMs: lastLookMs })
      if (!(seen instanceof Error) && reached(seen, until)) return topics.get(id, request)
    }
    const state = last === null ? "not seen" : (last as TopicProgress).overall_status
    throw new WaitTimeoutError(`Topic ${id} is ${state} after ${timeoutMs} ms.`, id, last)
  }

  const timedOut = Symbol("timed out")
  return within(timeoutMs, timedOut, signal, waiting).catch((error: unknown) => {
    if (error !== timedOut) throw error
    return lastLook()
  })
}
