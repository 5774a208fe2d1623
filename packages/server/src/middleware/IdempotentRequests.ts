/**
 * Handles requests with an idempotency key. The module computes the identity of a request, and converts responses to
 * their stored form. A handler calls other systems first, and then runs its change in `once`, which stores the
 * response. Without an idempotency key, `once` runs the change directly.
 */
import * as Errors from "@partner-commentary/api/Errors"
import {
  type IdempotencyHeaders,
  idempotencyHeader,
  idempotencyReplayedHeader
} from "@partner-commentary/api/IdempotencyKey"
import {
  Idempotency,
  IdempotencyKeyRejected,
  type IdempotentRequest,
  type ResponseStoredConcurrently,
  type ResponseToStore,
  type RunChangeAndStoreResponse
} from "@partner-commentary/core/idempotency/Idempotency"
import type * as Brand from "effect/Brand"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Envelope from "../http/Envelope.ts"

/** The owner of the idempotency key. A dashboard caller belongs to neither the live nor the test environment. */
export type IdempotencyKeyOwner = Pick<IdempotentRequest, "organizationId" | "environment">

/** The type of a response from `once`. The type ensures that a handler that does not call `once` does not compile. */
export type StoredResponse = HttpServerResponse.HttpServerResponse & Brand.Brand<"StoredResponse">

/**
 * Works like `once`, but for one of several parts of a request. The result of one part of a request is a text, not a
 * response.
 */
export type RunIdempotentPart = Wrap<string, string>

type Wrap<Given, Stored> = <E, R>(
  change: Effect.Effect<Given, E, R>
) => Effect.Effect<Stored, E | ResponseStoredConcurrently | IdempotencyKeyRejected, R>

export interface IdempotentExecution {
  /**
   * Runs the change and stores its successful response in one transaction, without calls to other systems. The effect
   * `change` fails if the request is rejected.
   */
  readonly once: Wrap<HttpServerResponse.HttpServerResponse, StoredResponse>
  /**
   * Runs one part of a request, such as one topic of a bulk request. `name` is unique among the parts of the request.
   * The result of each part is stored in the transaction of that part.
   */
  readonly part: <E, R>(
    name: string,
    attempt: (once: RunIdempotentPart) => Effect.Effect<string, E, R>
  ) => Effect.Effect<string, Exclude<E, ResponseStoredConcurrently> | IdempotencyKeyRejected, R>
}

interface Keyed {
  readonly headers: IdempotencyHeaders
  readonly request: HttpServerRequest.HttpServerRequest
  readonly owner: IdempotencyKeyOwner
  /** True when the response contains a secret. A response that contains a secret is stored encrypted. */
  readonly secret?: boolean
}

export const make = Effect.map(Idempotency, (idempotency) => {
  const part =
    (keyed: IdempotentRequest): IdempotentExecution["part"] =>
    (name, attempt) =>
      Effect.map(
        idempotency.once({ ...keyed, part: name }, (keep) =>
          Effect.map(
            attempt((change) => Effect.map(keep(Effect.map(change, textAnswer)), ({ body }) => body)),
            textAnswer
          )
        ),
        ({ body }) => body
      )

  const once =
    (keep: RunChangeAndStoreResponse, secret: boolean): IdempotentExecution["once"] =>
    (change) =>
      Effect.map(keep(Effect.flatMap(change, (response) => toAnswer(response, secret))), toResponse) as never

  const answered = Effect.fnUntraced(
    function* <E, R>(
      key: string,
      { owner, request, secret = false }: Keyed,
      handle: (execution: IdempotentExecution) => Effect.Effect<StoredResponse, E, R>
    ) {
      const body = new Uint8Array(yield* Effect.orDie(request.arrayBuffer))
      const keyed: IdempotentRequest = {
        ...owner,
        method: request.method,
        path: /^[^?]*/.exec(request.url)?.[0] ?? "",
        key,
        fingerprints: yield* idempotency.fingerprints(body),
        part: ""
      }
      const outcome = yield* idempotency.once(keyed, (keep) =>
        Effect.flatMap(handle({ once: once(keep, secret), part: part(keyed) }), (response) =>
          toAnswer(response, secret)
        )
      )
      const response = toResponse(outcome)
      return outcome.replayed ? HttpServerResponse.setHeader(response, idempotencyReplayedHeader, "true") : response
    },
    Effect.catchIf(
      (error): error is Extract<typeof error, IdempotencyKeyRejected> => error instanceof IdempotencyKeyRejected,
      ({ reason }) => Effect.fail(refusals[reason])
    )
  )

  /**
   * Handles a request with or without an idempotency key. With an idempotency key, a repeated request gets the stored
   * response instead of a second change.
   */
  return <E, R>(
    keyed: Keyed,
    handle: (execution: IdempotentExecution) => Effect.Effect<StoredResponse, E, R>
  ): Answered<E, R> => {
    const key = keyed.headers["idempotency-key"]
    return (key === undefined ? handle(executionWithoutKey) : answered(key, keyed, handle)) as Answered<E, R>
  }
})

type Answered<E, R> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  Exclude<E, ResponseStoredConcurrently | IdempotencyKeyRejected> | Errors.InvalidRequest | Errors.RateLimitExceeded,
  R
>

const executionWithoutKey: IdempotentExecution = {
  once: (change) => change as never,
  part: (_, attempt) => attempt((change) => change) as never
}

const textAnswer = (body: string): ResponseToStore => ({ status: 200, location: null, body, secret: false })

/** Converts a response to its stored form. An unsuccessful response rolls the change back and is not stored. */
const toAnswer = (response: HttpServerResponse.HttpServerResponse, secret: boolean): Effect.Effect<ResponseToStore> => {
  const { body, headers, status } = response
  return status < 200 || status > 299 || body._tag !== "Uint8Array"
    ? Effect.die(response)
    : Effect.succeed({
        status,
        location: headers["location"] ?? null,
        body: body.text ?? new TextDecoder().decode(body.body),
        secret
      })
}

const toResponse = ({ body, location, status }: Pick<ResponseToStore, "body" | "location" | "status">) => {
  const response = Envelope.makeJsonResponse(body, status)
  return location === null ? response : HttpServerResponse.setHeader(response, "location", location)
}

const mustBeNew = (why: string) =>
  Errors.InvalidRequest.of([{ field: idempotencyHeader, constraint: `must be a new one: ${why}` }])

const refusals = {
  other_body: mustBeNew("it was used with another body already"),
  unreadable: mustBeNew("its first answer can no longer be read"),
  running: Errors.RateLimitExceeded.busy(
    "A request with this Idempotency-Key is still running. Send it again in a second, with the same key.",
    1
  )
} satisfies Record<IdempotencyKeyRejected["reason"], Errors.WireError>
