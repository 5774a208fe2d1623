/** Stands before every endpoint of the partner API: admits its caller, and names it to the handler. */
import { ApiKeyAuth, CurrentPrincipal, RequiredScope } from "@partner-commentary/api/ApiKeyAuth"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Admission } from "./Admission.ts"
import { clientAddress, TrustedProxies } from "./ClientAddress.ts"

export const layer = Layer.effect(
  ApiKeyAuth,
  Effect.gen(function* () {
    const { admit } = yield* Admission
    const proxies = yield* TrustedProxies

    const principal = (endpoint: { readonly annotations: Context.Context<never> }) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, remoteAddress }) => {
        const socket = Option.getOrElse(remoteAddress, () => "")
        const address = clientAddress(socket, headers["x-forwarded-for"], proxies)
        return admit(
          { key: headers["x-api-key"] ?? "", address },
          Context.getOrUndefined(endpoint.annotations, RequiredScope)
        )
      })

    return (next, { endpoint }) => Effect.provideServiceEffect(next, CurrentPrincipal, principal(endpoint))
  })
).pipe(Layer.provide(Admission.layer))
