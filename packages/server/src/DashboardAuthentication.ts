/** Stands before every endpoint of the partner dashboard: admits its caller, and names it to the handler. */
import { CurrentDashboard, DashboardAuth } from "@partner-commentary/api/DashboardAuth"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { clientAddress, TrustedProxies } from "./ClientAddress.ts"
import { current } from "./CurrentRate.ts"
import { DashboardAdmission } from "./DashboardAdmission.ts"

export const layer = Layer.effect(
  DashboardAuth,
  Effect.gen(function* () {
    const { admit } = yield* DashboardAdmission
    const proxies = yield* TrustedProxies

    const principal = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, remoteAddress }) => {
      const socket = Option.getOrElse(remoteAddress, () => "")
      const address = clientAddress(socket, headers["x-forwarded-for"], proxies)
      return Effect.flatMap(current, (rate) => admit({ authorization: headers["authorization"] ?? "", address }, rate))
    })

    return (next) => Effect.provideServiceEffect(next, CurrentDashboard, principal)
  })
).pipe(Layer.provide(DashboardAdmission.layer))
