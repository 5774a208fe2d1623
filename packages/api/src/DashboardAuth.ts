/** The contract for calls of the partner dashboard: required credentials and errors. */
import type { DashboardPrincipal } from "@partner-commentary/core/access/Dashboard"
import * as Context from "effect/Context"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import { InternalError, InvalidRequest, RateLimitExceeded, Unauthorized } from "./Errors.ts"
import { dashboardToken } from "./SecurityScheme.ts"

/** The organization of an authenticated dashboard. */
export class CurrentDashboard extends Context.Service<CurrentDashboard, DashboardPrincipal>()(
  "@partner-commentary/api/DashboardAuth/CurrentDashboard"
) {}

/** Authentication by `Authorization: Bearer`, with the errors that every such call can return. */
export class DashboardAuth extends HttpApiMiddleware.Service<DashboardAuth, { provides: CurrentDashboard }>()(
  "@partner-commentary/api/DashboardAuth",
  { error: [Unauthorized, RateLimitExceeded, InvalidRequest, InternalError] }
) {
  static readonly scheme = dashboardToken
}
