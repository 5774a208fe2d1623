/**
 * Provides the middleware of all dashboard endpoints. The middleware authorizes the caller, takes a concurrency permit
 * and provides the organization to the handler.
 */
import { CurrentDashboard, DashboardAuth } from "@partner-commentary/api/DashboardAuth"
import { ConcurrencyLimit } from "@partner-commentary/core/access/ConcurrencyLimit"
import * as LogContext from "@partner-commentary/core/shared/LogContext"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { findClientAddress, TrustedProxies } from "../http/ClientAddress.ts"
import * as ConcurrentRequests from "./ConcurrentRequests.ts"
import { DashboardAuthorization } from "./DashboardAuthorization.ts"
import { getCurrentRequestRecord } from "./RequestRecord.ts"

export const layer = Layer.effect(
  DashboardAuth,
  Effect.gen(function* () {
    const { admit } = yield* DashboardAuthorization
    const limit = yield* ConcurrencyLimit
    const proxies = yield* TrustedProxies

    const principal = Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const caller = {
        authorization: request.headers["authorization"] ?? "",
        address: findClientAddress(request, proxies)
      }
      return Effect.flatMap(getCurrentRequestRecord, (record) => admit(caller, record))
    })

    return (next, { endpoint }) => {
      const withPermit = ConcurrentRequests.makeWithPermit(limit, endpoint)
      return Effect.flatMap(principal, (caller) => {
        const answered = LogContext.annotateSpansWithLogContext(Effect.provideService(next, CurrentDashboard, caller), {
          organizationId: caller.organization.id
        })
        const owner = { organization: caller.organization.id, credential: "authorization" } as const
        return withPermit(owner, answered)
      })
    }
  })
).pipe(Layer.provide(DashboardAuthorization.layer))
