/** Defines the required credentials and the possible errors of calls with an API key. */
import type { Principal } from "@partner-commentary/core/access/ApiKeys"
import type { ConcurrencyPool } from "@partner-commentary/core/access/ConcurrencyLimit"
import type { EndpointLimitName } from "@partner-commentary/core/access/RateLimits"
import type { ApiKeyScope } from "@partner-commentary/core/access/Scope"
import * as Context from "effect/Context"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import {
  InternalError,
  InvalidRequest,
  IpRestricted,
  KeyExpired,
  KeyRevoked,
  RateLimitExceeded,
  ScopeDenied,
  Unauthorized
} from "./Errors.ts"
import { apiKeyScheme } from "./SecurityScheme.ts"

/** The authenticated caller of a request. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()(
  "@partner-commentary/api/ApiKeyAuth/CurrentPrincipal"
) {}

/** An endpoint annotation with the scope that the caller's API key must have. */
export class RequiredScope extends Context.Service<RequiredScope, ApiKeyScope>()(
  "@partner-commentary/api/ApiKeyAuth/RequiredScope"
) {}

/** An endpoint annotation with a rate limit that applies in addition to the limits of the API key. */
export class EndpointRateLimit extends Context.Service<EndpointRateLimit, EndpointLimitName>()(
  "@partner-commentary/api/ApiKeyAuth/EndpointRateLimit"
) {}

/**
 * An endpoint annotation with the pool from which requests take a concurrency permit. The default pool is `standard`.
 */
export class RequiredPool extends Context.Service<RequiredPool, ConcurrencyPool>()(
  "@partner-commentary/api/ApiKeyAuth/RequiredPool"
) {}

/**
 * An endpoint annotation: responses have an entity tag, and a request with a matching `If-None-Match` gets status 304.
 */
export class ConditionalRead extends Context.Service<ConditionalRead, true>()(
  "@partner-commentary/api/ApiKeyAuth/ConditionalRead"
) {}

/** An endpoint annotation: the endpoint supports `Prefer: wait=N`. */
export class WaitPreference extends Context.Service<WaitPreference, true>()(
  "@partner-commentary/api/ApiKeyAuth/WaitPreference"
) {}

/** Authenticates calls by `X-Api-Key`, and declares the errors that every call with an API key can return. */
export class ApiKeyAuth extends HttpApiMiddleware.Service<ApiKeyAuth, { provides: CurrentPrincipal }>()(
  "@partner-commentary/api/ApiKeyAuth",
  {
    error: [
      Unauthorized,
      KeyRevoked,
      KeyExpired,
      IpRestricted,
      ScopeDenied,
      RateLimitExceeded,
      InvalidRequest,
      InternalError
    ]
  }
) {
  static readonly scheme = apiKeyScheme
}
