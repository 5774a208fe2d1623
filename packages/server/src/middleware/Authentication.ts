/**
 * Provides the middleware of all partner endpoints. The middleware authorizes the caller, takes a concurrency permit
 * and provides the principal to the handler.
 */
import {
  ApiKeyAuth,
  CurrentPrincipal,
  EndpointRateLimit,
  RequiredScope,
  SupportsConditionalRequests
} from "@partner-commentary/api/ApiKeyAuth"
import type { Principal } from "@partner-commentary/core/access/ApiKeys"
import { ConcurrencyLimit } from "@partner-commentary/core/access/ConcurrencyLimit"
import * as LogContext from "@partner-commentary/core/shared/LogContext"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { unhandled } from "effect/Types"
import { readCallerCredentials, TrustedProxies } from "../http/ClientAddress.ts"
import { Authorization, type EndpointRules } from "./Authorization.ts"
import * as ConcurrentRequests from "./ConcurrentRequests.ts"
import { CurrentRequestRecord } from "./RequestRecord.ts"

export const layer = Layer.effect(
  ApiKeyAuth,
  Effect.gen(function* () {
    const { admit, admitNow, creditUnchanged } = yield* Authorization
    const limit = yield* ConcurrencyLimit
    const proxies = yield* TrustedProxies

    return (next, { endpoint: { annotations }, endpoint }) => {
      const rules: EndpointRules = {
        scope: Context.getOrUndefined(annotations, RequiredScope),
        limit: Context.getOrUndefined(annotations, EndpointRateLimit)
      }
      const conditional = {
        ...rules,
        isConditional: Context.getOrUndefined(annotations, SupportsConditionalRequests) === true
      }
      const withPermit = ConcurrentRequests.makeWithPermit(limit, endpoint)
      return Effect.withFiber((fiber: Fiber.Fiber<unknown, unknown>) => {
        const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
        const record = Context.getUnsafe(fiber.context, CurrentRequestRecord)
        const gate = request.headers["if-none-match"] === undefined ? rules : conditional
        const credentials = readCallerCredentials(request, proxies)
        const answer = (caller: Principal) => {
          const organization = caller.organization.id
          const handled = LogContext.annotateSpansWithLogContext(next as Effect.Effect<HttpServerResponse, unhandled>, {
            organizationId: organization
          })
          fiber.setContext(Context.add(fiber.context, CurrentPrincipal, caller))
          const response = withPermit({ organization, credential: "x-api-key" }, handled)
          return gate.isConditional
            ? Effect.tap(response, ({ status }) => (status === 304 ? creditUnchanged(caller, gate) : Effect.void))
            : response
        }
        const admitted = admitNow(credentials, gate, record, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe())
        if (admitted === undefined) return Effect.flatMap(admit(credentials, gate, record), answer)
        return Result.isSuccess(admitted) ? answer(admitted.success) : Effect.fail(admitted.failure)
      })
    }
  })
)
