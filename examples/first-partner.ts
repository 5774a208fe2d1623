/** A first partner to try the service with: an organization, a persona that it may ask, and a key. */
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import * as Scope from "@partner-commentary/core/access/Scope"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import { OrganizationId, PersonaId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

// #region first-partner
export const firstPartner = Effect.gen(function* () {
  const now = yield* Instant.now
  const organizationId = OrganizationId.make(crypto.randomUUID())
  const personaId = PersonaId.make(crypto.randomUUID())
  const organization = { id: organizationId, name: "Courtside", plan: "standard", limits: {} } as const
  const reached = { contactEmail: "desk@courtside.example", identityId: null, suspendedAt: null, createdAt: now }
  yield* (yield* OrganizationRegistry).insert({ ...organization, ...reached })

  const { grant, insert } = yield* PersonaRegistry
  const creator = { name: "Ada", email: "ada@creators.example" }
  const profile = { imageUrl: "", bio: "Twenty years courtside.", expertise: ["basketball"], socialLinks: {} }
  yield* insert({ id: personaId, name: "Ada Vance", creator, ...profile, createdAt: now })
  yield* grant({ organizationId, personaId, grantedAt: now, until: null, revokedAt: null })

  const wanted = { name: "first", scopes: Scope.all, environment: "live", ipAllowList: [], expiresAt: null } as const
  const { fullKey } = yield* (yield* ApiKeys).issue(organization, wanted)
  return { key: Redacted.value(fullKey), personaId }
})
// #endregion
