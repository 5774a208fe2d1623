/**
 * Sends events as server-sent events. For each stream, a fiber waits for signals and writes pages of events to the
 * response. The fiber holds the stream's permit, and runs until the stream ends, whether or not a client reads the
 * response.
 */
import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { eventStreamContentType } from "@partner-commentary/api/Documented"
import type { RateLimitExceeded } from "@partner-commentary/api/Errors"
import type { Principal } from "@partner-commentary/core/access/ApiKeys"
import { ConcurrencyLimit } from "@partner-commentary/core/access/ConcurrencyLimit"
import { type ChangeWatch, LongPolls, type PauseEndReason } from "@partner-commentary/core/access/LongPolls"
import { toOwner } from "@partner-commentary/core/access/Ownership"
import { isTooManyRequests, WaitingReadLimiter } from "@partner-commentary/core/access/WaitingReadLimiter"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { makeNewEventsSignal } from "@partner-commentary/core/shared/WorkSignal"
import { EventHistory } from "@partner-commentary/core/webhook/EventHistory"
import type { EventLogQuery, StoredEvent } from "@partner-commentary/core/webhook/EventLog"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import { readCallerCredentials, TrustedProxies } from "../../http/ClientAddress.ts"
import { MustRespondImmediately } from "../../http/Preference.ts"
import * as ServerSentEvents from "../../http/ServerSentEvents.ts"
import { Authorization, type AuthorizationRefusal } from "../../middleware/Authorization.ts"
import { busyError, CloseConnection } from "../../middleware/ConcurrentRequests.ts"
import { defaultCacheControl } from "../../middleware/Responses.ts"

/** The filters and the start position of an event stream. */
export interface EventStreamQuery extends Pick<EventLogQuery, "type" | "behind"> {
  readonly since: Instant.Instant | null
}

type StreamRefusal = AuthorizationRefusal | RateLimitExceeded

/** All times are in milliseconds. */
export const eventStreamTimesMs = {
  heartbeat: 15_000,
  /**
   * The interval between two key checks while this process gets no signals about changes by other processes. A key
   * check can use a cached API key that is up to 3 seconds old.
   */
  check: 1500,
  /** The interval between two reads without a signal, in case a signal was lost. */
  look: 60_000,
  /** The pause between two full pages, so that an organization's streams of old events do not delay other requests. */
  fullPage: 50,
  /**
   * The maximum time that a write waits for the client. The server disconnects a client that reads nothing during the
   * whole time.
   */
  stall: 60_000,
  /** A stream ends after a random time between `shortest` and `longest`. When a stream ends, the client reconnects. */
  shortest: 55 * 60_000,
  longest: 60 * 60_000
}

/**
 * The limits for each page of events that a stream reads. A stream keeps about three pages in memory: the page in the
 * socket, the waiting page and the page just read.
 */
const page = { limit: 100, maxBytes: 64 * 1024, forward: true }

/**
 * The delay before a client reconnects is random, so that not all clients reconnect at the same time after a process
 * has stopped.
 */
const reconnect = Effect.map(Random.nextIntBetween(1000, 5000), ServerSentEvents.formatRetryDelay)

/** On a host that cannot stream, clients reconnect after `pollMs` milliseconds. */
const pollMs = 10_000

export const make = Effect.gen(function* () {
  const history = yield* EventHistory
  const { watch } = yield* LongPolls
  const { withPermit } = yield* ConcurrencyLimit
  const read = yield* WaitingReadLimiter
  const { check } = yield* Authorization
  const proxies = yield* TrustedProxies
  const scope = yield* Effect.scope

  /**
   * Reads a page of events when the fair scheduler gives the organization a turn. The stream's fiber yields before each
   * read, because a timer or a signal may resume the fiber outside the organization's turn.
   */
  const readPage = (principal: Principal, asked: EventStreamQuery) =>
    Effect.catchIf(
      Effect.andThen(
        Effect.yieldNow,
        read("standard", principal.organization.id, history.page({ ...page, ...asked, owner: toOwner(principal) }))
      ),
      isTooManyRequests,
      (error) => Effect.fail(busyError(error))
    )

  /** Returns the complete response of a host that cannot stream. */
  const answerAtOnce = Effect.fnUntraced(function* (principal: Principal, asked: EventStreamQuery) {
    const { events, more } = yield* readPage(principal, asked)
    return respond(
      HttpServerResponse.text(
        ServerSentEvents.formatRetryDelay(more ? 0 : pollMs) + textOf(events) + ServerSentEvents.heartbeatComment
      )
    )
  })

  return Effect.fnUntraced(function* (request: HttpServerRequest, asked: EventStreamQuery) {
    const principal = yield* CurrentPrincipal
    if (request.method === "HEAD") return respond(HttpServerResponse.empty({ status: 200 }))
    if (yield* MustRespondImmediately) return yield* answerAtOnce(principal, asked)
    const caller = readCallerCredentials(request, proxies)
    const close = yield* CloseConnection
    const queue = yield* Queue.bounded<Uint8Array, Cause.Done>(1)
    const opened = yield* Deferred.make<void, StreamRefusal>()

    /**
     * Sends text to the client. If the client does not read in time, closes the connection and interrupts the fiber.
     */
    const send = Effect.fnUntraced(function* (text: string) {
      const taken = yield* Effect.timeoutOption(Queue.offer(queue, encoder.encode(text)), eventStreamTimesMs.stall)
      if (Option.isSome(taken)) return
      close(request)
      return yield* Effect.interrupt
    })

    const follow = Effect.fnUntraced(function* ({ hearsOthers, isStopped, pause }: ChangeWatch) {
      const ends = Instant.plus(
        yield* Instant.now,
        Duration.millis(yield* Random.nextIntBetween(eventStreamTimesMs.shortest, eventStreamTimesMs.longest))
      )
      let { behind } = asked
      let keyEnds = 0
      let beat = 0
      let look = 0
      let wake: PauseEndReason = "change"
      let start = yield* reconnect
      while (!isStopped()) {
        const now = yield* Instant.now
        if (now >= ends) return
        const isLook = wake !== "time" || now >= look
        if (isLook || now >= keyEnds || !(yield* hearsOthers)) keyEnds = endOfKey(yield* check(caller))
        let text = start
        if (isLook) {
          const { events, more } = yield* readPage(principal, { ...asked, behind })
          behind = events.at(-1)?.id ?? behind
          text += textOf(events)
          look = now + (more ? eventStreamTimesMs.fullPage : eventStreamTimesMs.look)
        }
        start = ""
        yield* Deferred.succeed(opened, undefined)
        if (text === "" && now >= beat) text = ServerSentEvents.heartbeatComment
        if (text !== "") {
          yield* send(text)
          beat = (yield* Instant.now) + eventStreamTimesMs.heartbeat
        }
        const next = Math.min(look, beat, keyEnds, ends, (yield* hearsOthers) ? look : now + eventStreamTimesMs.check)
        wake = yield* pause(Duration.millis(Math.max(0, next - (yield* Instant.now))))
      }
    })

    const lasting = Effect.scoped(
      Effect.flatMap(watch({ change: makeNewEventsSignal(toOwner(principal)), key: caller.key }), follow)
    )
    const limited = Effect.catchIf(
      withPermit("streaming", principal.organization.id, lasting, (release) => release()),
      isTooManyRequests,
      (error) => Effect.fail(busyError(error))
    )
    const ended = Effect.onExit(limited, (exit) =>
      Effect.andThen(Exit.isSuccess(exit) ? Effect.void : ending(exit.cause, opened), Queue.end(queue))
    )
    const fiber = yield* Effect.forkIn(ended, scope)
    yield* Effect.onInterrupt(Deferred.await(opened), () => Fiber.interrupt(fiber))
    return respond(HttpServerResponse.stream(Stream.ensuring(Stream.fromQueue(queue), Fiber.interrupt(fiber))))
  })
})

/**
 * Handles the failure of a stream. If the stream is not open yet, the failure becomes the response. Once the stream is
 * open, a rejection ends the stream without a message.
 */
const ending = (cause: Cause.Cause<StreamRefusal>, opened: Deferred.Deferred<void, StreamRefusal>) =>
  Effect.flatMap(Deferred.failCause(opened, cause), (isResponse) =>
    isResponse || !Cause.hasDies(cause) ? Effect.void : Effect.logWarning("A stream of events ended early", cause)
  )

const encoder = new TextEncoder()

const textOf = (events: ReadonlyArray<StoredEvent>): string => events.map(ServerSentEvents.formatEvent).join("")

/** Returns the time when the key expires or is revoked, as far as the service currently knows. */
const endOfKey = ({ key: { expiresAt, revokedAt } }: Principal): Instant.Instant =>
  Math.min(expiresAt ?? Number.POSITIVE_INFINITY, revokedAt ?? Number.POSITIVE_INFINITY)

/**
 * Adds the headers of an event stream. Without `no-transform` and `x-accel-buffering`, a compression middleware or
 * nginx would buffer the events.
 */
const respond = (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setHeaders(response, {
    "content-type": eventStreamContentType,
    "cache-control": `${defaultCacheControl}, no-transform`,
    "x-accel-buffering": "no"
  })
