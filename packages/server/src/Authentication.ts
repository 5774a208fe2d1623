/** Stands before every endpoint of the partner API: admits its caller, and names it to the handler. */
import { ApiKeyAuth, CurrentPrincipal, OwnLimit, RequiredScope } from "@partner-commentary/api/ApiKeyAuth"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { Admission, withRetryAfter } from "./Admission.ts"
import { callerOf, TrustedProxies } from "./ClientAddress.ts"
import { CurrentRate } from "./CurrentRate.ts"

export const layer = Layer.effect(
  ApiKeyAuth,
  Effect.gen(function* () {
    const { admit } = yield* Admission
    const proxies = yield* TrustedProxies

    const principal = ({ annotations }: { readonly annotations: Context.Context<never> }) =>
      Effect.withFiber(({ context }: { readonly context: Context.Context<never> }) => {
        const request = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
        const gate = {
          scope: Context.getOrUndefined(annotations, RequiredScope),
          limit: Context.getOrUndefined(annotations, OwnLimit)
        }
        return admit(callerOf(request, proxies), gate, Context.getUnsafe(context, CurrentRate))
      })

    return (next, { endpoint }) =>
      Effect.provideServiceEffect(withRetryAfter(next), CurrentPrincipal, principal(endpoint))
  })
)
