/** The contract for calls with an API key: required credentials and errors. */
import type { Principal } from "@partner-commentary/core/access/ApiKeys"
import type { ConcurrencyPool } from "@partner-commentary/core/access/ConcurrencyLimit"
import type { EndpointLimit } from "@partner-commentary/core/access/RateLimits"
import type { Scope } from "@partner-commentary/core/access/Scope"
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
import { apiKey } from "./SecurityScheme.ts"

/** The authenticated caller. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()(
  "@partner-commentary/api/ApiKeyAuth/CurrentPrincipal"
) {}

/** Endpoint annotation: the scope that the caller's key must have. */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()(
  "@partner-commentary/api/ApiKeyAuth/RequiredScope"
) {}

/** Endpoint annotation: a rate limit that applies in addition to the key's limits. */
export class OwnLimit extends Context.Service<OwnLimit, EndpointLimit>()(
  "@partner-commentary/api/ApiKeyAuth/OwnLimit"
) {}

/** Endpoint annotation: the endpoint's concurrency pool; `standard` by default. */
export class RequiredPool extends Context.Service<RequiredPool, ConcurrencyPool>()(
  "@partner-commentary/api/ApiKeyAuth/RequiredPool"
) {}

/** Endpoint annotation: the response has an entity tag, and the endpoint answers `If-None-Match` with 304. */
export class ConditionalRead extends Context.Service<ConditionalRead, true>()(
  "@partner-commentary/api/ApiKeyAuth/ConditionalRead"
) {}

/** Endpoint annotation: the endpoint applies `Prefer: wait=N`. */
export class WaitPreference extends Context.Service<WaitPreference, true>()(
  "@partner-commentary/api/ApiKeyAuth/WaitPreference"
) {}

/** Authentication by `X-Api-Key`, with the errors that every such call can return. */
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
  static readonly scheme = apiKey
}
