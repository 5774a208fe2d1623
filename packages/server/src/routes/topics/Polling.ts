/**
 * Answers GET /topics/{id}/status without the router, because it is the most frequent request. Hosts call it with the
 * plain fields of a request. Authorization, use case and response bytes are the same as those of the endpoint.
 */

import * as Errors from "@partner-commentary/api/Errors"
import { prefix } from "@partner-commentary/api/PartnerApi"
import { ConcurrencyLimit, type WhenResponseEnds } from "@partner-commentary/core/access/ConcurrencyLimit"
import { ownerOf } from "@partner-commentary/core/access/Ownership"
import * as Ids from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { Topics } from "@partner-commentary/core/topic/Topics"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { clientAddress, TrustedProxies } from "../../http/ClientAddress.ts"
import * as EntityTag from "../../http/EntityTag.ts"
import * as Envelope from "../../http/Envelope.ts"
import * as AccessLog from "../../middleware/AccessLog.ts"
import { Authorization } from "../../middleware/Authorization.ts"
import { toRateLimitError } from "../../middleware/ConcurrentRequests.ts"
import { freshRateState, type RequestRateState, rateHeadersOf } from "../../middleware/CurrentRate.ts"
import { CurrentFairScheduler } from "../../middleware/FairScheduler.ts"
import { cacheControl, failureHead, internalError, requestId } from "../../middleware/Responses.ts"
import * as Views from "./TopicViews.ts"

/** The plain fields of a request, with lower-case header names. */
export interface Poll {
  readonly method: string | undefined
  /** The path and query of the request. */
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The address of the socket. */
  readonly address: string | undefined
  /** See `ResponseTaken`. */
  readonly whenResponseEnds?: WhenResponseEnds
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export class Polling extends Context.Service<
  Polling,
  {
    /** Returns none for other requests, which the router handles. */
    readonly answer: (poll: Poll) => Option.Option<Effect.Effect<Answer>>
  }
>()("@partner-commentary/server/routes/topics/Polling") {
  static readonly layer = Layer.effect(
    Polling,
    Effect.gen(function* () {
      const { admit, creditUnchanged } = yield* Authorization
      const { withPermit } = yield* ConcurrencyLimit
      const topics = yield* Topics
      const proxies = yield* TrustedProxies
      const fair = yield* CurrentFairScheduler
      const tags = yield* EntityTag.make

      /** A conditional request reads the topic's revision first. The body is null while nothing changed. */
      const read = Effect.fnUntraced(function* (owner: Owner, id: Ids.TopicId, known: string | undefined) {
        const tag = known === undefined ? "" : tags.ofStatus(yield* topics.revision(owner, id))
        if (EntityTag.matches(known, tag)) return { tag, body: null }
        const found = yield* topics.progress(owner, id)
        return { tag: tags.ofStatus(found.revision), body: Envelope.successText(Views.progress(found)) }
      })

      const progress = Effect.fnUntraced(
        function* (id: Ids.TopicId, { address, headers, whenResponseEnds = atOnce }: Poll, rate: RequestRateState) {
          const caller = {
            key: text(headers["x-api-key"]) ?? "",
            address: clientAddress(address ?? "", text(headers["x-forwarded-for"]), proxies)
          }
          const known = text(headers["if-none-match"])
          const principal = yield* admit(caller, known === undefined ? gate : conditionalGate, rate)
          const owner = ownerOf(principal)
          fair?.accept(caller.key, owner.organizationId)
          const asked = withPermit("frequent", owner.organizationId, read(owner, id, known), whenResponseEnds)
          const result = yield* toRateLimitError(asked)
          if (result.body === null) yield* creditUnchanged(principal, gate)
          return result
        },
        Effect.catchTag("TopicNotFound", () => Effect.fail(Errors.topicNotFound))
      )

      return Polling.of({
        answer: (poll) => {
          const id = poll.method === "GET" ? path.exec(poll.url ?? "")?.[1] : undefined
          if (id === undefined) return Option.none()
          const request = requestId(text(poll.headers["x-request-id"]))
          return Option.map(Ids.parse(Ids.TopicId, id), (topicId) => {
            const rate = { ...freshRateState(), route, subject: { topicId } }
            const answered = Effect.matchCauseEffect(progress(topicId, poll, rate), {
              onSuccess: ({ body, tag }) => Effect.succeed(shown(tag, body, request, rate)),
              onFailure: (cause) => {
                if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
                const refused = Cause.findErrorOption(cause)
                return Option.isSome(refused)
                  ? Effect.succeed(failed(refused.value, request, rate))
                  : broken(cause, request, topicId, rate)
              }
            })
            return AccessLog.logRequest(answered, { method: "GET", requestId: request, rate })
          })
        }
      })
    })
  ).pipe(Layer.provide(Authorization.layer))
}

const atOnce: WhenResponseEnds = (release) => release()

const gate = { scope: "topics:read", limit: undefined } as const
const conditionalGate = { ...gate, isConditional: true } as const

/** The router's template for this route, for logs. */
const route = `${prefix}/topics/:id/status`

const path = new RegExp(`^${prefix}/topics/([0-9a-fA-F-]{36})/status(?:\\?|$)`)

const text = (header: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof header === "object" ? header.join(", ") : header

const broken = (
  cause: Cause.Cause<unknown>,
  id: string,
  topicId: Ids.TopicId,
  rate: RequestRateState
): Effect.Effect<Answer> => {
  const { headers, status } = failureHead(cause)
  const logged = internalError(cause, { id, request: "GET /topics/{id}/status", subject: { topicId } })
  return Effect.map(logged, (error) => answer(status, Envelope.failureText(error), id, rate, headers))
}

const failed = (refused: Errors.WireError, request: string, rate: RequestRateState): Answer => {
  if (refused.error.code === "rate_limit_exceeded") rate.retryAfter = refused.error.details.retry_after
  return answer(Errors.statusOf[refused.error.code], Envelope.failureText(refused), request, rate)
}

const shown = (etag: string, body: string | null, request: string, rate: RequestRateState): Answer => {
  if (body !== null) return answer(200, body, request, rate, { etag })
  const { "content-type": _, ...headers } = answer(304, "", request, rate, { etag }).headers
  return { status: 304, headers, body: "" }
}

const answer = (
  status: number,
  body: string,
  request: string,
  rate: RequestRateState,
  headers: Readonly<Record<string, string>> = {}
): Answer => ({
  status,
  headers: {
    "content-type": Envelope.contentType,
    "x-request-id": request,
    ...rateHeadersOf(rate, status),
    ...headers,
    "cache-control": cacheControl
  },
  body
})
