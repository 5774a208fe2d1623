/** The contract of calls by the partner dashboard: what they need, and how they are refused. */
import type { DashboardPrincipal } from "@partner-commentary/core/access/Dashboard"
import * as Context from "effect/Context"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import { InternalError, InvalidRequest, RateLimitExceeded, Unauthorized } from "./Errors.ts"
import { dashboardToken } from "./SecurityScheme.ts"

/** Whose dashboard calls. */
export class CurrentDashboard extends Context.Service<CurrentDashboard, DashboardPrincipal>()(
  "@partner-commentary/api/DashboardAuth/CurrentDashboard"
) {}

/** `Authorization: Bearer` names the caller; everything that may be wrong with any such call is declared here once. */
export class DashboardAuth extends HttpApiMiddleware.Service<DashboardAuth, { provides: CurrentDashboard }>()(
  "@partner-commentary/api/DashboardAuth",
  { error: [Unauthorized, RateLimitExceeded, InvalidRequest, InternalError] }
) {
  static readonly scheme = dashboardToken
}
