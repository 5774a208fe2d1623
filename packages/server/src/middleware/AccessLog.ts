/**
 * Writes the optional access log. The log contains the route instead of the path, because a path can contain a
 * creator's token.
 */
import * as LogContext from "@partner-commentary/core/shared/LogContext"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import type { RequestRecord } from "./RequestRecord.ts"

/** True when the server writes an access log line for each request. */
export const AccessLogEnabled = Context.Reference("@partner-commentary/reference/AccessLogEnabled", {
  defaultValue: () => false
})

/** The fields that a log line contains in addition to the response's fields. */
export interface LoggedRequest {
  readonly method: string
  readonly requestId: string
  readonly record: RequestRecord
}

/** The status in the access log when the client disconnected before the response, as in nginx. */
const clientLeft = 499

/** Wraps the handling of a request, and writes a log line when the request ends. */
export const logRequest = <A extends { readonly status: number }, E, R>(
  answered: Effect.Effect<A, E, R>,
  asked: LoggedRequest
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const clock = fiber.getRef(Clock.Clock)
    const begun = clock.monotonicTimeNanosUnsafe()
    return Effect.onExit(answered, (exit) => {
      const { method, record, requestId } = asked
      return Effect.annotateLogs(Effect.logInfo("Request"), {
        method,
        route: record.route ?? "unknown",
        status: Exit.isSuccess(exit) ? exit.value.status : clientLeft,
        ms: Math.round(Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e4) / 100,
        ...LogContext.formatLogContextAttributes(
          { organizationId: record.organizationId, topicId: record.logContext.topicId },
          "_"
        ),
        request_id: requestId
      })
    })
  })

/** Wraps the router and records the matched route, which the router stores in the fiber's context. */
export const recordRoute = <A, E, R>(routed: Effect.Effect<A, E, R>, record: RequestRecord): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    Effect.onExit(routed, () => {
      record.route = Context.getOrUndefined(fiber.context, HttpRouter.RouteContext)?.route.path ?? null
      return Effect.void
    })
  )
