/** Tells who calls and whether they may: the API key, its address list, its scope. Rate windows stand between the last two. */
import { ApiKeyAuth, CurrentPrincipal, RequiredScope } from "@partner-commentary/api/ApiKeyAuth"
import * as Errors from "@partner-commentary/api/Errors"
import { ApiKeys, requireScope } from "@partner-commentary/core/access/ApiKeys"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { clientAddress, TrustedProxies } from "./ClientAddress.ts"

export const layer = Layer.effect(
  ApiKeyAuth,
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const proxies = yield* TrustedProxies

    const principal = Effect.fnUntraced(
      function* (endpoint: { readonly annotations: Context.Context<never> }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const found = yield* keys.authenticate(request.headers["x-api-key"] ?? "", clientAddress(request, proxies))
        const scope = Context.getOrUndefined(endpoint.annotations, RequiredScope)
        if (scope !== undefined) yield* requireScope(found, scope)
        return found
      },
      Effect.catchTags({
        Unauthorized: () => Effect.fail(Errors.Unauthorized.of()),
        KeyRevoked: () => Effect.fail(Errors.KeyRevoked.of()),
        KeyExpired: () => Effect.fail(Errors.KeyExpired.of()),
        IpRestricted: () => Effect.fail(Errors.IpRestricted.of()),
        ScopeDenied: ({ scope }) => Effect.fail(Errors.ScopeDenied.of(scope))
      })
    )

    return (next, { endpoint }) => Effect.provideServiceEffect(next, CurrentPrincipal, principal(endpoint))
  })
)
