/** Handles the request for the caller's own key. */
import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { ok } from "@partner-commentary/api/Envelope"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { known } from "@partner-commentary/core/access/Scope"
import { isoOrNull } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { currentRateState } from "../../middleware/CurrentRate.ts"

export const layer = HttpApiBuilder.group(PartnerApi, "me", (handlers) =>
  handlers.handle(
    "show",
    Effect.fnUntraced(function* () {
      const { environment, key, organization } = yield* CurrentPrincipal
      const { windows } = yield* currentRateState
      return ok({
        organization: { id: organization.id, name: organization.name },
        key: { id: key.id, name: key.name, key_prefix: key.prefix },
        environment,
        scopes: known(key.scopes),
        ip_whitelist: key.ipAllowList,
        expires_at: isoOrNull(key.expiresAt),
        revoked_at: isoOrNull(key.revokedAt),
        windows: windows.map(({ endsIn, limit, policy, remaining, seconds }) => ({
          name: policy,
          limit,
          remaining,
          window_seconds: seconds,
          resets_in_seconds: endsIn
        }))
      })
    })
  )
)
