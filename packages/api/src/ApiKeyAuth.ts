/** The contract of calls by API key: what they need, and how they are refused. */
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

/** Who calls. */
export class CurrentPrincipal extends Context.Service<CurrentPrincipal, Principal>()(
  "@partner-commentary/api/ApiKeyAuth/CurrentPrincipal"
) {}

/** An endpoint's annotation: the scope that its caller's key must have. */
export class RequiredScope extends Context.Service<RequiredScope, Scope>()(
  "@partner-commentary/api/ApiKeyAuth/RequiredScope"
) {}

/** An endpoint's annotation: the limit that it has beside those of the key. */
export class OwnLimit extends Context.Service<OwnLimit, EndpointLimit>()(
  "@partner-commentary/api/ApiKeyAuth/OwnLimit"
) {}

/** An endpoint's annotation: the pool of places that it is worked on in, `standard` where it names none. */
export class RequiredPool extends Context.Service<RequiredPool, ConcurrencyPool>()(
  "@partner-commentary/api/ApiKeyAuth/RequiredPool"
) {}

/** `X-Api-Key` names the caller; everything that may be wrong with any call is declared here once. */
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
