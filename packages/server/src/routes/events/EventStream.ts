/**
 * Events as server-sent events. A fiber for each stream waits for signals and hands pages to the response. It lives
 * until the stream ends, whether or not a client reads the response, and holds the stream's permit.
 */
import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { eventStream } from "@partner-commentary/api/Documented"
import type { RateLimitExceeded } from "@partner-commentary/api/Errors"
import type { Principal } from "@partner-commentary/core/access/ApiKeys"
import { ConcurrencyLimit } from "@partner-commentary/core/access/ConcurrencyLimit"
import { LongPolls, type Wake, type Watch } from "@partner-commentary/core/access/LongPolls"
import { ownerOf } from "@partner-commentary/core/access/Ownership"
import { isTooManyRequests, SignaledReads } from "@partner-commentary/core/access/SignaledReads"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { newEvents } from "@partner-commentary/core/shared/WorkSignal"
import { EventHistory } from "@partner-commentary/core/webhook/EventHistory"
import type { EventList, PastEvent } from "@partner-commentary/core/webhook/EventLog"
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
import { keyAndAddressOf, TrustedProxies } from "../../http/ClientAddress.ts"
import { MustAnswerAtOnce } from "../../http/Preference.ts"
import * as ServerSentEvents from "../../http/ServerSentEvents.ts"
import { Authorization, type AuthorizationRefusal } from "../../middleware/Authorization.ts"
import { busyError, CloseConnection } from "../../middleware/ConcurrentRequests.ts"
import { cacheControl } from "../../middleware/Responses.ts"

/** The query of a stream. */
export interface StreamedEvents extends Pick<EventList, "type" | "behind"> {
  readonly since: Instant.Instant | null
}

type StreamRefusal = AuthorizationRefusal | RateLimitExceeded

/** Milliseconds. */
export const streamTimes = {
  heartbeat: 15_000,
  /** Between two checks of the key, if this process does not hear of changes by others. Its cache adds 3 seconds. */
  check: 1500,
  /** Between two reads without a signal, in case that one was lost. */
  look: 60_000,
  /** Between two full pages, so that an organization's streams of old events leave time to others. */
  fullPage: 50,
  /** After this time without reading, a client is disconnected. */
  stall: 60_000,
  /** A stream ends within these times, and its client connects again. */
  shortest: 55 * 60_000,
  longest: 60 * 60_000
}

/** A stream keeps about three pages in memory: one is written, one waits, and one was read. */
const page = { limit: 100, maxBytes: 64 * 1024, forward: true }

/** Random, so that not all clients come back at once when a process has stopped. */
const reconnect = Effect.map(Random.nextIntBetween(1000, 5000), ServerSentEvents.retry)

/** After the answer of a host that cannot stream, the next one comes after these milliseconds. */
const pollMs = 10_000

export const make = Effect.gen(function* () {
  const history = yield* EventHistory
  const { watch } = yield* LongPolls
  const { withPermit } = yield* ConcurrencyLimit
  const read = yield* SignaledReads
  const { check } = yield* Authorization
  const proxies = yield* TrustedProxies
  const scope = yield* Effect.scope

  /** The read waits for the organization's turn, because a timer or a signal resumes the fiber outside of turns. */
  const readPage = (principal: Principal, asked: StreamedEvents) =>
    Effect.catchIf(
      Effect.andThen(
        Effect.yieldNow,
        read("standard", principal.organization.id, history.page({ ...page, ...asked, owner: ownerOf(principal) }))
      ),
      isTooManyRequests,
      (error) => Effect.fail(busyError(error))
    )

  /** The whole answer of a host that cannot stream. */
  const answerAtOnce = Effect.fnUntraced(function* (principal: Principal, asked: StreamedEvents) {
    const { events, more } = yield* readPage(principal, asked)
    return respond(
      HttpServerResponse.text(ServerSentEvents.retry(more ? 0 : pollMs) + textOf(events) + ServerSentEvents.heartbeat)
    )
  })

  return Effect.fnUntraced(function* (request: HttpServerRequest, asked: StreamedEvents) {
    const principal = yield* CurrentPrincipal
    if (request.method === "HEAD") return respond(HttpServerResponse.empty({ status: 200 }))
    if (yield* MustAnswerAtOnce) return yield* answerAtOnce(principal, asked)
    const caller = keyAndAddressOf(request, proxies)
    const close = yield* CloseConnection
    const queue = yield* Queue.bounded<Uint8Array, Cause.Done>(1)
    const opened = yield* Deferred.make<void, StreamRefusal>()

    /** Fails if the client does not read. */
    const send = Effect.fnUntraced(function* (text: string) {
      const taken = yield* Effect.timeoutOption(Queue.offer(queue, encoder.encode(text)), streamTimes.stall)
      if (Option.isSome(taken)) return
      close(request)
      return yield* Effect.interrupt
    })

    const follow = Effect.fnUntraced(function* ({ hearsOthers, isStopped, pause }: Watch) {
      const ends = Instant.plus(
        yield* Instant.now,
        Duration.millis(yield* Random.nextIntBetween(streamTimes.shortest, streamTimes.longest))
      )
      let { behind } = asked
      let keyEnds = 0
      let beat = 0
      let look = 0
      let wake: Wake = "change"
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
          look = now + (more ? streamTimes.fullPage : streamTimes.look)
        }
        start = ""
        yield* Deferred.succeed(opened, undefined)
        if (text === "" && now >= beat) text = ServerSentEvents.heartbeat
        if (text !== "") {
          yield* send(text)
          beat = (yield* Instant.now) + streamTimes.heartbeat
        }
        const next = Math.min(look, beat, keyEnds, ends, (yield* hearsOthers) ? look : now + streamTimes.check)
        wake = yield* pause(Duration.millis(Math.max(0, next - (yield* Instant.now))))
      }
    })

    const lasting = Effect.scoped(
      Effect.flatMap(watch({ change: newEvents(ownerOf(principal)), key: caller.key }), follow)
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

/** Before the first event, the failure is the response. Later a refusal ends the stream without a word. */
const ending = (cause: Cause.Cause<StreamRefusal>, opened: Deferred.Deferred<void, StreamRefusal>) =>
  Effect.flatMap(Deferred.failCause(opened, cause), (isResponse) =>
    isResponse || !Cause.hasDies(cause) ? Effect.void : Effect.logWarning("A stream of events ended early", cause)
  )

const encoder = new TextEncoder()

const textOf = (events: ReadonlyArray<PastEvent>): string => events.map(ServerSentEvents.event).join("")

/** When the key ends, as far as it is known now. */
const endOfKey = ({ key: { expiresAt, revokedAt } }: Principal): Instant.Instant =>
  Math.min(expiresAt ?? Number.POSITIVE_INFINITY, revokedAt ?? Number.POSITIVE_INFINITY)

/** Without these headers, a compression middleware or nginx would collect events before it sends them. */
const respond = (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setHeaders(response, {
    "content-type": eventStream,
    "cache-control": `${cacheControl}, no-transform`,
    "x-accel-buffering": "no"
  })
