/**
 * Adds the request id to every response. Builds the error responses for failures outside of handlers: unknown paths,
 * too large bodies and defects. Responses never contain internal error messages.
 */
import * as Errors from "@partner-commentary/api/Errors"
import { idempotencyHeader } from "@partner-commentary/api/IdempotencyKey"
import { partnerApiPrefix } from "@partner-commentary/api/PartnerApi"
import * as DatabaseBusy from "@partner-commentary/core/shared/DatabaseBusy"
import * as LogContext from "@partner-commentary/core/shared/LogContext"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import * as ByteSize from "effect/ByteSize"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerError from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiError from "effect/http-api/HttpApiError"
import * as Result from "effect/Result"
import { isCreatorRequest } from "../creator-portal/CreatorRequest.ts"
import {
  bodyTooLargeProblem,
  bulkBodyTooLargeProblem,
  convertSchemaIssueToProblems,
  maxBodyBytes,
  maxBulkBodyBytes
} from "../http/Body.ts"
import { readCallerCredentials, TrustedProxies } from "../http/ClientAddress.ts"
import * as Envelope from "../http/Envelope.ts"
import { makeUnknownPathResponse } from "../http/NotFound.ts"
import * as ResponseHeaders from "../http/ResponseHeaders.ts"
import * as AccessLog from "./AccessLog.ts"
import { Authorization } from "./Authorization.ts"
import { CurrentRequestRecord, makeRequestRecord, type RequestRecord, setRateLimitHeaders } from "./RequestRecord.ts"

const bodyLimit = ByteSize.bytes(maxBodyBytes)
const bulkLimit = ByteSize.bytes(maxBulkBodyBytes)

const isBulk = (url: string): boolean => url === bulkPath || url.startsWith(`${bulkPath}?`)

const bulkPath = `${partnerApiPrefix}/topics/bulk`

export const layer = HttpRouter.middleware(
  Effect.gen(function* () {
    const { countUnknownPath } = yield* Authorization
    const proxies = yield* TrustedProxies
    const { apiRoot } = yield* PublicAddress

    /**
     * Counts requests to unknown paths. The rate-limit error is used only below the API prefix, because other paths may
     * belong to the embedding application.
     */
    const unknownPath = (request: HttpServerRequest.HttpServerRequest, record: RequestRecord) =>
      Effect.match(countUnknownPath(readCallerCredentials(request, proxies), record), {
        onSuccess: () => makeUnknownPathResponse(request, apiRoot),
        onFailure: (refused) =>
          request.url.startsWith(`${partnerApiPrefix}/`)
            ? Envelope.makeFailureResponse(refused)
            : makeUnknownPathResponse(request, apiRoot)
      })

    return (app) =>
      Effect.withFiber((fiber) => {
        const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        const { headers, url } = request
        const id = acceptOrCreateRequestId(headers["x-request-id"])
        const record = makeRequestRecord()
        const clock = fiber.getRef(Clock.Clock)
        const completed = (response: HttpServerResponse.HttpServerResponse) =>
          complete(response, id, record, clock.currentTimeMillisUnsafe())
        const isUnknown = isUnroutable(url) && !url.startsWith(references)
        const routed = isUnknown ? unknownPath(request, record) : app
        const found = hasTooManyParameters(url) ? Effect.succeed(tooManyParameters) : routed
        const asked = withValidEscapes(request)
        const limit = isBulk(url) ? bulkLimit : bodyLimit
        const isLogged = fiber.getRef(AccessLog.AccessLogEnabled)
        let own = Context.add(fiber.context, CurrentRequestRecord, record)
        own = Context.add(own, LogContext.LogContextCollector, record.logContext)
        own = Context.add(own, HttpIncomingMessage.MaxBodySize, limit)
        if (asked !== request) own = Context.add(own, HttpServerRequest.HttpServerRequest, asked)
        // The server restores the context at the end of the request, so the response is also written with this context.
        fiber.setContext(own)
        const recorded = isLogged ? AccessLog.recordRoute(found, record) : found
        const answered = Effect.matchCauseEffect(recorded, {
          onSuccess: (response) => Effect.succeed(completed(response)),
          onFailure: (cause) => {
            if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause as Cause.Cause<never>)
            const failed = isNotFound(cause)
              ? unknownPath(request, record)
              : answer(cause, { id, request, logContext: record.logContext })
            return Effect.map(failed, completed)
          }
        })
        return isLogged ? AccessLog.logRequest(answered, { method: request.method, requestId: id, record }) : answered
      }) as typeof app
  }),
  { global: true }
)

const isNotFound = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) =>
      reason._tag === "Fail" &&
      reason.error instanceof HttpServerError.HttpServerError &&
      reason.error.reason._tag === "RouteNotFound"
  )

/**
 * Returns whether the path contains `;` or `#`. The router treats `;` and `#` as the start of the query, but in this
 * API both characters belong to the path. No route contains `;` or `#`.
 */
export const hasSemicolonOrHash = (url: string): boolean => /^[^?]*[;#]/.test(url)

/**
 * The maximum length of a path in characters. Every route's paths are shorter. The router needs quadratic time for a
 * path with many escapes, and it runs before the authentication.
 */
const maxPathLength = 2048

const hasLongPath = (url: string): boolean => {
  const end = url.indexOf("?")
  return (end < 0 ? url.length : end) > maxPathLength
}

/**
 * The maximum number of query parameters. The router reads every parameter before the authentication, and an invalid
 * escape takes ten microseconds.
 */
const maxParameters = 100

const hasTooManyParameters = (url: string): boolean =>
  url.length > maxParameters && url.split("&", maxParameters + 1).length > maxParameters

const tooManyParameters = Envelope.makeFailureResponse(
  Errors.InvalidRequest.of([{ field: "query", constraint: `must have at most ${maxParameters} parameters` }])
)

/**
 * Returns whether the path cannot match a route. The router would match a doubled or trailing slash as an empty id.
 */
const isUnroutable = (url: string): boolean =>
  hasSemicolonOrHash(url) ||
  hasLongPath(url) ||
  (url.startsWith(`${partnerApiPrefix}/`) && /^[^?]*\/(?:[/?]|$)/.test(url))

/** Below the prefix `/topics/by-reference/`, an invalid path is reported as an invalid external reference. */
const references = `${partnerApiPrefix}/topics/by-reference/`

/** A path with an invalid external reference. */
const invalidReference = `${references}%25`

/**
 * Replaces a by-reference path that is too long or has invalid escapes, because the router would fail on invalid
 * escapes. The handler rejects the external reference of the new path, because the reference is a percent sign.
 */
const withValidEscapes = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
  const { url } = request
  if (!url.startsWith(references)) return request
  const isValid =
    !hasLongPath(url) && Result.isSuccess(Result.try(() => decodeURIComponent(url.split("?", 1)[0] ?? "")))
  return isValid ? request : request.modify({ url: invalidReference })
}

/**
 * The default value of the header `Cache-Control`. Shared caches respect `Authorization`, but do not know that
 * `X-Api-Key` makes a response private.
 */
export const defaultCacheControl = "no-store"

const complete = (response: HttpServerResponse.HttpServerResponse, id: string, record: RequestRecord, now: number) => {
  const headers = ResponseHeaders.copy(response.headers)
  setRateLimitHeaders(headers, record, response.status, now)
  headers["x-request-id"] = id
  headers["cache-control"] ??= defaultCacheControl
  return ResponseHeaders.replace(response, headers)
}

/** Creates the error response to a request that no route handles. The status and headers are those of the routes. */
export const makeErrorResponse = (refusal: Errors.WireError, requestId: string) => ({
  status: Errors.httpStatusByErrorCode[refusal.error.code],
  headers: {
    "content-type": Envelope.jsonContentType,
    "x-request-id": requestId,
    "cache-control": defaultCacheControl
  },
  body: Envelope.formatFailureJson(refusal)
})

/** Returns the caller's request id if the id is valid, otherwise a new id. */
export const acceptOrCreateRequestId = (sent: string | undefined): string =>
  sent !== undefined && /^[\w.:-]{1,128}$/.test(sent) ? sent : crypto.randomUUID()

/** Logs the cause of the failure. For an internal error, the caller receives only the request id. */
const internalError = (
  cause: Cause.Cause<unknown>,
  {
    id,
    request,
    logContext
  }: { readonly id: string; readonly request: string; readonly logContext: LogContext.LogContext }
): Effect.Effect<Errors.InternalError> =>
  Effect.as(
    Effect.annotateLogs(Effect.logError("A request failed", cause), {
      ...LogContext.formatLogContextAttributes(logContext, "_"),
      request_id: id,
      request
    }),
    DatabaseBusy.isDatabaseBusyFailure(cause) ? Errors.serviceBusyResponse.of(id) : Errors.InternalError.of(id)
  )

/** Returns the status code and the `Retry-After` header for a defect. */
const failureHead = (
  cause: Cause.Cause<unknown>
): { readonly status: number; readonly headers: Readonly<Record<string, string>> } =>
  DatabaseBusy.isDatabaseBusyFailure(cause)
    ? {
        status: Errors.serviceBusyResponse.status,
        headers: { "retry-after": String(Errors.serviceBusyResponse.retryAfter) }
      }
    : { status: Errors.httpStatusByErrorCode.internal_error, headers: {} }

/** Returns the method and the path for the log, without the query. The result never contains a creator's token. */
const describe = (request: HttpServerRequest.HttpServerRequest): string =>
  `${request.method} ${isCreatorRequest(request) ? "/creator/*" : (/^[^?]*/.exec(request.url)?.[0] ?? "").slice(0, 200)}`

const answer = (
  cause: Cause.Cause<unknown>,
  {
    id,
    request,
    logContext
  }: {
    readonly id: string
    readonly request: HttpServerRequest.HttpServerRequest
    readonly logContext: LogContext.LogContext
  }
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  for (const reason of cause.reasons) {
    const error = reason._tag === "Fail" ? reason.error : reason._tag === "Die" ? reason.defect : undefined
    if (HttpServerResponse.isHttpServerResponse(error)) return Effect.succeed(error)
    if (HttpApiError.HttpApiSchemaError.is(error) && error.kind !== "Body") {
      return Effect.succeed(Envelope.makeFailureResponse(unreadable(error)))
    }
    if (error instanceof HttpServerError.HttpServerError) {
      if (error.reason._tag === "RequestParseError") {
        return Effect.succeed(error.reason.reason === "BodyTooLarge" ? tooLarge(request.url) : bodyUnreadable)
      }
    }
  }
  const { headers, status } = failureHead(cause)
  return Effect.map(internalError(cause, { id, request: describe(request), logContext }), (error) =>
    Envelope.makeJsonResponse(Envelope.formatFailureJson(error), status, headers)
  )
}

/**
 * Describes a failed decoding of parameters or headers. Path and query parameters are strings, so decoding fails only
 * for a repeated parameter. A header can have a required format, so the decoding of a header can also fail because of
 * the format.
 */
const unreadable = (error: HttpApiError.HttpApiSchemaError): Errors.InvalidRequest => {
  const [first, ...rest] = convertSchemaIssueToProblems(error.cause.issue)
  if (error.kind === "Headers") return Errors.InvalidRequest.of([{ ...first, field: idempotencyHeader }])
  const constraint = "must be given once"
  return Errors.InvalidRequest.of([{ ...first, constraint }, ...rest.map(({ field }) => ({ field, constraint }))])
}

const tooLarge = (url: string) =>
  Envelope.makeFailureResponse(Errors.InvalidRequest.of([isBulk(url) ? bulkBodyTooLargeProblem : bodyTooLargeProblem]))

const bodyUnreadable = Envelope.makeFailureResponse(
  Errors.InvalidRequest.of([{ field: "body", constraint: "could not be read" }])
)
