/** Defines the required credentials and the possible errors of the partner dashboard's calls. */
import type { DashboardPrincipal } from "@partner-commentary/core/access/DashboardAuthentication"
import * as Context from "effect/Context"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import { InternalError, InvalidRequest, RateLimitExceeded, Unauthorized } from "./Errors.ts"
import { dashboardTokenScheme } from "./SecurityScheme.ts"

/** The organization of the authenticated dashboard. */
export class CurrentDashboard extends Context.Service<CurrentDashboard, DashboardPrincipal>()(
  "@partner-commentary/api/DashboardAuth/CurrentDashboard"
) {}

/**
 * Authenticates calls by a bearer token in the `Authorization` header, and declares the errors that every dashboard
 * call can return.
 */
export class DashboardAuth extends HttpApiMiddleware.Service<DashboardAuth, { provides: CurrentDashboard }>()(
  "@partner-commentary/api/DashboardAuth",
  { error: [Unauthorized, RateLimitExceeded, InvalidRequest, InternalError] }
) {
  static readonly scheme = dashboardTokenScheme
}
