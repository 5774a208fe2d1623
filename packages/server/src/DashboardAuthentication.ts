/** Stands before every endpoint of the partner dashboard: admits its caller, and names it to the handler. */
import { CurrentDashboard, DashboardAuth } from "@partner-commentary/api/DashboardAuth"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { withRetryAfter } from "./Admission.ts"
import { addressOf, TrustedProxies } from "./ClientAddress.ts"
import { current } from "./CurrentRate.ts"
import { DashboardAdmission } from "./DashboardAdmission.ts"

export const layer = Layer.effect(
  DashboardAuth,
  Effect.gen(function* () {
    const { admit } = yield* DashboardAdmission
    const proxies = yield* TrustedProxies

    const principal = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const caller = { authorization: request.headers["authorization"] ?? "", address: addressOf(request, proxies) }
      return Effect.flatMap(current, (rate) => admit(caller, rate))
    })

    return (next) => Effect.provideServiceEffect(withRetryAfter(next), CurrentDashboard, principal)
  })
).pipe(Layer.provide(DashboardAdmission.layer))
