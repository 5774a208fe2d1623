/**
 * Middleware of all partner endpoints: authorizes the caller, takes a concurrency permit and provides the principal to
 * the handler.
 */
import {
  ApiKeyAuth,
  ConditionalRead,
  CurrentPrincipal,
  OwnLimit,
  RequiredScope
} from "@partner-commentary/api/ApiKeyAuth"
import { ConcurrencyLimit } from "@partner-commentary/core/access/ConcurrencyLimit"
import * as Subject from "@partner-commentary/core/shared/Subject"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { keyAndAddressOf, TrustedProxies } from "../http/ClientAddress.ts"
import { Authorization, type EndpointRules, withRetryAfter } from "./Authorization.ts"
import * as ConcurrentRequests from "./ConcurrentRequests.ts"
import { CurrentRate } from "./CurrentRate.ts"

export const layer = Layer.effect(
  ApiKeyAuth,
  Effect.gen(function* () {
    const { admit, creditUnchanged } = yield* Authorization
    const limit = yield* ConcurrencyLimit
    const proxies = yield* TrustedProxies

    return (next, { endpoint: { annotations }, endpoint }) => {
      const rules: EndpointRules = {
        scope: Context.getOrUndefined(annotations, RequiredScope),
        limit: Context.getOrUndefined(annotations, OwnLimit)
      }
      const conditional = { ...rules, isConditional: Context.getOrUndefined(annotations, ConditionalRead) === true }
      return Effect.withFiber(({ context }: { readonly context: Context.Context<never> }) => {
        const request = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
        const gate = request.headers["if-none-match"] === undefined ? rules : conditional
        const admitted = admit(keyAndAddressOf(request, proxies), gate, Context.getUnsafe(context, CurrentRate))
        return Effect.flatMap(admitted, (caller) => {
          const answered = Subject.traceWithSubject(Effect.provideService(next, CurrentPrincipal, caller), {
            organizationId: caller.organization.id
          })
          const owner = { organization: caller.organization.id, credential: "x-api-key" } as const
          const response = withRetryAfter(ConcurrentRequests.withPermit(limit, endpoint, owner, answered))
          return gate.isConditional
            ? Effect.tap(response, ({ status }) => (status === 304 ? creditUnchanged(caller, gate) : Effect.void))
            : response
        })
      })
    }
  })
)
