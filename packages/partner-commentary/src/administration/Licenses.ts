/** Grants and revokes licences. A licence allows a partner to send topics to a persona until an end date. */
import { isLicenseActive, type License } from "@partner-commentary/core/persona/License"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import type { OrganizationId, PersonaId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { withAuditEntry } from "./Change.ts"

/** Grants a licence. Returns none if the organization or the persona does not exist. */
export const grant = Effect.fnUntraced(function* (
  organizationId: OrganizationId,
  personaId: PersonaId,
  until: Instant.Instant | null
) {
  const license: License = { organizationId, personaId, grantedAt: yield* Instant.now, until, revokedAt: null }
  const { grant } = yield* PersonaRegistry
  const granted = Effect.map(grant(license), (isDone) => Option.liftPredicate(license, () => isDone))
  return yield* withAuditEntry(granted, entry("license.granted"))
})

/** Revokes a licence. Returns none if the organization has no licence for the persona. */
export const revoke = Effect.fnUntraced(function* (organizationId: OrganizationId, personaId: PersonaId) {
  const { revoke } = yield* PersonaRegistry
  return yield* withAuditEntry(revoke(organizationId, personaId, yield* Instant.now), entry("license.revoked"))
})

const entry =
  (action: string) =>
  ({ organizationId, personaId, until }: License) => ({
    action,
    subject: personaId,
    organizationId,
    details: { until: Instant.toIsoOrNull(until) }
  })

/** Maps a licence to an object with the field names of the API. */
export const toApiLicense = (license: License, now: Instant.Instant) => ({
  organization_id: license.organizationId,
  persona_id: license.personaId,
  active: isLicenseActive(license, now),
  granted_at: Instant.toIso(license.grantedAt),
  until: Instant.toIsoOrNull(license.until),
  revoked_at: Instant.toIsoOrNull(license.revokedAt)
})
