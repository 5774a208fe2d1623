/** One log line for each request, where it is asked for. It names the route and never the path, which may hold a creator's token. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import type { Rate } from "./CurrentRate.ts"

/** Whether requests are logged. */
export const LogRequests = Context.Reference("@partner-commentary/server/LogRequests", { defaultValue: () => false })

/** What a line says beyond the answer. */
export interface Asked {
  readonly method: string
  readonly requestId: string
  readonly rate: Rate
}

/** The status of a request whose client left before it was answered, as nginx logs it. */
const clientLeft = 499

/** Around all that answers a request. */
export const logged = <A extends { readonly status: number }, E, R>(
  answered: Effect.Effect<A, E, R>,
  asked: Asked
): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    if (!fiber.getRef(LogRequests)) return answered
    const clock = fiber.getRef(Clock.Clock)
    const begun = clock.monotonicTimeNanosUnsafe()
    return Effect.onExit(answered, (exit) => {
      const { method, rate, requestId } = asked
      return Effect.annotateLogs(Effect.logInfo("Request"), {
        method,
        route: rate.route ?? "unknown",
        status: Exit.isSuccess(exit) ? exit.value.status : clientLeft,
        ms: Math.round(Number(clock.monotonicTimeNanosUnsafe() - begun) / 1e4) / 100,
        ...(rate.organizationId === null ? {} : { organization_id: rate.organizationId }),
        request_id: requestId
      })
    })
  })

/** Around the router, which leaves its match in the fiber's context. */
export const noteRoute = <A, E, R>(routed: Effect.Effect<A, E, R>, rate: Rate): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    Effect.onExit(routed, () => {
      rate.route = Context.getOrUndefined(fiber.context, HttpRouter.RouteContext)?.route.path ?? null
      return Effect.void
    })
  )
