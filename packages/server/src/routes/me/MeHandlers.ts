/** Handles the request for the properties of the caller's own API key. */
import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { ok } from "@partner-commentary/api/Envelope"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { filterKnownScopes } from "@partner-commentary/core/access/Scope"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { countSecondsUntilWindowEnd, getCurrentRequestRecord } from "../../middleware/RequestRecord.ts"

export const layer = HttpApiBuilder.group(PartnerApi, "me", (handlers) =>
  handlers.handle(
    "show",
    Effect.fnUntraced(function* () {
      const { environment, key, organization } = yield* CurrentPrincipal
      const { rateWindows } = yield* getCurrentRequestRecord
      const now = yield* Instant.now
      return ok({
        organization: { id: organization.id, name: organization.name },
        key: { id: key.id, name: key.name, key_prefix: key.prefix },
        environment,
        scopes: filterKnownScopes(key.scopes),
        ip_whitelist: key.ipAllowList,
        expires_at: Instant.toIsoOrNull(key.expiresAt),
        revoked_at: Instant.toIsoOrNull(key.revokedAt),
        windows: rateWindows.map((window) => ({
          name: window.policy,
          limit: window.limit,
          remaining: window.remaining,
          window_seconds: window.seconds,
          resets_in_seconds: countSecondsUntilWindowEnd(window, now)
        }))
      })
    })
  )
)
