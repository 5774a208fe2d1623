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

/** Sets the scope that the caller's API key needs for an endpoint. */
export class RequiredScope extends Context.Service<RequiredScope, ApiKeyScope>()(
  "@partner-commentary/api/ApiKeyAuth/RequiredScope"
) {}

/** Sets a rate limit of an endpoint. The endpoint's limit applies in addition to the limits of the API key. */
export class EndpointRateLimit extends Context.Service<EndpointRateLimit, EndpointLimitName>()(
  "@partner-commentary/api/ApiKeyAuth/EndpointRateLimit"
) {}

/**
 * Sets the pool from which the requests of an endpoint take a concurrency permit. The default concurrency pool is
 * `standard`.
 */
export class EndpointConcurrencyPool extends Context.Service<EndpointConcurrencyPool, ConcurrencyPool>()(
  "@partner-commentary/api/ApiKeyAuth/EndpointConcurrencyPool"
) {}

/** Marks an endpoint whose responses have an entity tag. A request with a matching `If-None-Match` gets status 304. */
export class SupportsConditionalRequests extends Context.Service<SupportsConditionalRequests, true>()(
  "@partner-commentary/api/ApiKeyAuth/SupportsConditionalRequests"
) {}

/** Marks an endpoint that supports `Prefer: wait=N`. */
export class SupportsWaitPreference extends Context.Service<SupportsWaitPreference, true>()(
  "@partner-commentary/api/ApiKeyAuth/SupportsWaitPreference"
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
