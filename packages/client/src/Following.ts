/**
 * Follows events until the caller stops. Uses a stream, or long-polling requests if a proxy blocks the stream. A new
 * stream or request continues after the last received event.
 */
import { formatQueryString } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import { ApiError, ConnectionError, TimeoutError } from "./Errors.ts"
import type { CursorPage } from "./Listing.ts"
import type { RequestOptions, ResponseInfo } from "./Options.ts"
import { pause } from "./Pause.ts"
import { computeBackoffMs, findRequestedDelayMs, isTemporaryFailure } from "./Retry.ts"
import { readEvents } from "./ServerSentEvents.ts"
import {
  computeDefaultPollPauseMs,
  computeRateLimitPauseMs,
  longPollTimeoutMarginMs,
  maxLongPollSeconds,
  minPollPauseMs,
  wasLongPoll
} from "./Waiting.ts"
import type { SubscribableEvent } from "./Webhook.ts"
import type { PastEvent } from "./WebhookEvent.ts"

/** The filter and start position of `events.follow`. */
export interface FollowEventsOptions extends RequestOptions {
  readonly type?: SubscribableEvent | undefined
  /**
   * The id of the last event that you handled. By default, the iteration starts with the oldest event of the last 30
   * days.
   */
  readonly after?: string | undefined
  /** The iteration returns only events at or after this time, which is ISO 8601 with a time zone. */
  readonly since?: string | undefined
  /** The client calls this function for each temporary failure, after which the iteration continues. */
  readonly onOutage?: ((error: Error) => void) | undefined
}

/**
 * The time without data after which a stream counts as broken, in milliseconds. The service sends a comment every 15
 * seconds, but a proxy that buffers the response passes nothing on.
 */
const silenceMs = 40_000
const firstPartMs = 20_000
/**
 * The minimum duration of a stream in milliseconds. If a stream ends before the minimum duration, the client concludes
 * that the service's host does not support streams.
 */
const shortestStreamMs = 5000
/** The time in milliseconds for which the client uses long polling before the client tries a stream again. */
const withoutStreamMs = 10 * 60_000
const pageSize = 100

/** No stream arrived, or the stream ended too early, but long-polling requests may still work. */
class NoStream extends Error {}

export async function* followEvents(
  connection: Connection,
  { after, onOutage, since, type, ...options }: FollowEventsOptions
): AsyncGenerator<PastEvent, never, undefined> {
  const { signal } = options
  let place = after
  let isConnected = false
  let failures = 0
  let streamAt = 0
  let reconnectMs = 0
  let answer: ResponseInfo | null = null
  const onResponse = (info: ResponseInfo) => {
    answer = info
    options.onResponse?.(info)
  }

  async function* stream(): AsyncGenerator<PastEvent, void, undefined> {
    const began = Date.now()
    const isLong = () => Date.now() - began >= shortestStreamMs
    const stop = new AbortController()
    const abort = () => stop.abort(signal?.reason)
    signal?.addEventListener("abort", abort, { once: true })
    let hasPart = false
    try {
      const path = `/events/stream${formatQueryString({ type, since, after: place })}`
      const sent = { ...options, signal: stop.signal, onResponse }
      const call = { method: "GET", path, options: sent, isStream: true } as const
      const body = await connection.stream(call, firstPartMs)
      if (body === null) throw new NoStream()
      const reader = {
        onPart: () => {
          hasPart = true
          isConnected = true
          failures = 0
        },
        onRetry: (ms: number) => {
          reconnectMs = ms
        },
        silence: { ms: silenceMs, error: new TimeoutError(`Nothing came for ${silenceMs} ms.`, "") },
        signal: stop.signal
      }
      for await (const { data, id } of readEvents(body, reader)) {
        place = id
        yield JSON.parse(data) as PastEvent
      }
      if (!isLong()) throw new NoStream()
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof ApiError && error.status !== 404 && !isTemporaryFailure(error)) throw error
      if (!hasPart || !isLong()) throw new NoStream()
      throw error instanceof ConnectionError
        ? error
        : new ConnectionError(`The stream of events broke: ${error}.`, answer?.requestId ?? "", { cause: error })
    } finally {
      signal?.removeEventListener("abort", abort)
      stop.abort()
    }
  }

  async function* page(): AsyncGenerator<PastEvent, void, undefined> {
    const timeoutMs = Math.max(
      options.timeoutMs ?? connection.timeoutMs,
      maxLongPollSeconds * 1000 + longPollTimeoutMarginMs
    )
    const headers = { ...options.headers, prefer: `wait=${maxLongPollSeconds}` }
    const { data, pagination } = await connection.send<CursorPage<PastEvent>>({
      method: "GET",
      path: `/events${formatQueryString({ type, since, order: "asc", after: place, limit: pageSize })}`,
      options: { ...options, headers, timeoutMs, onResponse }
    })
    isConnected = true
    failures = 0
    for (const event of data) {
      place = event.id
      yield event
    }
    place = pagination.next_cursor ?? place
    reconnectMs = data.length === pageSize ? 0 : pauseAfter(data.length)
  }

  const pauseAfter = (found: number): number => {
    const info = answer as ResponseInfo | null
    if (info === null || (found === 0 && !wasLongPoll(info))) return computeDefaultPollPauseMs(connection)
    return Math.max(minPollPauseMs - info.durationMs, computeRateLimitPauseMs(info.rateLimit))
  }

  for (;;) {
    try {
      yield* Date.now() >= streamAt ? stream() : page()
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof NoStream) {
        streamAt = Date.now() + withoutStreamMs
        continue
      }
      if (!isConnected || !isTemporaryFailure(error)) throw error
      onOutage?.(error as Error)
      reconnectMs = Math.max(findRequestedDelayMs(error) ?? 0, computeBackoffMs(++failures, Math.random()))
    }
    await pause(reconnectMs, signal)
  }
}
