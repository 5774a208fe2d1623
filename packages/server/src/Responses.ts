/**
 * What every response has, and what becomes of every failure: the request id, and the error envelope for what no handler
 * answered (unknown paths, bodies that are too large, defects). Never plain text, never an inner failure's words.
 */
import * as Errors from "@partner-commentary/api/Errors"
import * as ByteSize from "effect/ByteSize"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiError from "effect/http-api/HttpApiError"
import { maxBodySize, problems } from "./Body.ts"
import * as Envelope from "./Envelope.ts"

const bodyLimit = ByteSize.bytes(maxBodySize)

export const layer = HttpRouter.middleware(
  (app) =>
    Effect.withFiber((fiber) => {
      const id = requestId(Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest))
      return Effect.matchCauseEffect(app, {
        onSuccess: (response) => Effect.succeed(HttpServerResponse.setHeader(response, "x-request-id", id)),
        onFailure: (cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause as Cause.Cause<never>)
            : Effect.map(answer(cause, id), (response) => HttpServerResponse.setHeader(response, "x-request-id", id))
      })
    }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, bodyLimit)) as typeof app,
  { global: true }
)

/** The caller's, if it sent a sane one. */
const requestId = (request: HttpServerRequest.HttpServerRequest): string => {
  const sent = request.headers["x-request-id"]
  return sent !== undefined && /^[\w.:-]{1,128}$/.test(sent) ? sent : crypto.randomUUID()
}

const answer = (cause: Cause.Cause<unknown>, id: string): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  for (const reason of cause.reasons) {
    const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    if (HttpServerResponse.isHttpServerResponse(error)) return Effect.succeed(error)
    if (HttpApiError.HttpApiSchemaError.is(error) && error.kind !== "Body") {
      return Effect.succeed(Envelope.failure(unreadable(error)))
    }
    if (error instanceof HttpServerError.HttpServerError) {
      if (error.reason._tag === "RouteNotFound") return Effect.succeed(notFound)
      if (error.reason._tag === "RequestParseError") {
        return Effect.succeed(error.reason.reason === "BodyTooLarge" ? bodyTooLarge : bodyUnreadable)
      }
    }
  }
  return Effect.as(
    Effect.annotateLogs(Effect.logError("A request failed", cause), { request_id: id }),
    Envelope.failure(Errors.InternalError.of(id))
  )
}

/** Parameters are texts to begin with: one that does not decode was given more than once. */
const unreadable = (error: HttpApiError.HttpApiSchemaError): Errors.InvalidRequest => {
  const [first, ...rest] = problems(error.cause.issue)
  const constraint = "must be given once"
  return Errors.InvalidRequest.of([{ ...first, constraint }, ...rest.map(({ field }) => ({ field, constraint }))])
}

const notFound = Envelope.failure(Errors.NotFound.of("There is no such path, or not with this method."))

const bodyTooLarge = Envelope.failure(
  Errors.InvalidRequest.of([{ field: "body", constraint: `must be at most ${maxBodySize / 1024} KiB` }])
)

const bodyUnreadable = Envelope.failure(Errors.InvalidRequest.of([{ field: "body", constraint: "could not be read" }]))
