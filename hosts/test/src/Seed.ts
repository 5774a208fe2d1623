/**
 * Creates organizations, personas, licences, keys and dashboard tokens for tests. The functions call the same core
 * interfaces as the service's command line.
 */

import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import * as Scope from "@partner-commentary/core/access/Scope"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import * as Ids from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import { LocalTokens } from "@partner-commentary/identity/LocalIdentity"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** Limits that a test does not reach by accident. Tests that check rate limits or quotas pass other `limits`. */
export const generousLimits = {
  requests_per_hour: 1_000_000,
  burst_per_minute: 1_000_000,
  topic_submissions_per_hour: 1_000_000,
  persona_lists_per_hour: 1_000_000,
  topic_reads_per_hour: 1_000_000
}

export const createOrganization = Effect.fnUntraced(function* (given: Partial<Organization> = {}) {
  const random = yield* SecureRandom.SecureRandom
  const made: Organization = {
    id: yield* Ids.make(Ids.OrganizationId, random),
    name: "Courtside",
    plan: "standard",
    limits: generousLimits,
    contactEmail: "desk@courtside.example",
    identityId: null,
    suspendedAt: null,
    createdAt: yield* Instant.now,
    ...given
  }
  yield* Effect.orDie((yield* OrganizationRegistry).insert(made))
  return made
})

/** Creates a persona and licenses it to `owner`. If `owner` is null, the persona gets no licence. */
export const createPersona = Effect.fnUntraced(function* (owner: Organization | null, given: Partial<Persona> = {}) {
  const registry = yield* PersonaRegistry
  const id = yield* Ids.make(Ids.PersonaId, yield* SecureRandom.SecureRandom)
  const made: Persona = {
    id,
    name: "Ada Vance",
    imageUrl: "https://images.example/ada.png",
    bio: "Twenty years on the touchline.",
    expertise: ["basketball"],
    socialLinks: { twitter: "https://twitter.example/ada" },
    creator: { name: "Ada", email: `creator-${id}@creators.example` },
    createdAt: yield* Instant.now,
    ...given
  }
  yield* registry.insert(made)
  if (owner !== null) yield* licensePersona(owner, made)
  return made
})

export const licensePersona = Effect.fnUntraced(function* (
  owner: Organization,
  persona: Persona,
  until: Instant.Instant | null = null
) {
  const registry = yield* PersonaRegistry
  yield* registry.grant({
    organizationId: owner.id,
    personaId: persona.id,
    grantedAt: yield* Instant.now,
    until,
    revokedAt: null
  })
})

/** Creates a key and returns its text. The key has every scope by default. */
export const issueApiKey = Effect.fnUntraced(function* (
  owner: Organization,
  given: {
    readonly scopes?: ReadonlyArray<Scope.ApiKeyScope>
    readonly environment?: Environment
    readonly ipAllowList?: ReadonlyArray<string>
    readonly expiresAt?: Instant.Instant | null
  } = {}
) {
  const issued = yield* Effect.orDie(
    (yield* ApiKeys).issue(owner, {
      name: "test key",
      scopes: given.scopes ?? Scope.allScopes,
      environment: given.environment ?? "live",
      ipAllowList: given.ipAllowList ?? [],
      expiresAt: given.expiresAt ?? null
    })
  )
  return { id: issued.key.id, text: Redacted.value(issued.fullKey) }
})

/** Creates a dashboard token for the organization. The token is valid for an hour by default. */
export const issueDashboardToken = Effect.fnUntraced(function* (
  owner: { readonly id: string },
  given: { readonly expiresIn?: Duration.Duration; readonly subject?: string } = {}
) {
  const { issue } = yield* LocalTokens
  return yield* issue({ organization: owner.id, expiresIn: Duration.hours(1), ...given })
})
