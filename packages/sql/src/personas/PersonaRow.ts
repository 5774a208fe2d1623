/**
 * Maps personas and licences to rows. The mapping is written by hand for speed, because every submission reads personas
 * and licences.
 */
import type { License } from "@partner-commentary/core/persona/License"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { OrganizationId, PersonaId } from "@partner-commentary/core/shared/Ids"
import { fromIso, toIso } from "@partner-commentary/core/shared/Instant"
import * as Schema from "effect/Schema"
import { InstantColumn, normalizeEmail } from "../database/Columns.ts"

export interface PersonaRow {
  readonly id: PersonaId
  readonly name: string
  readonly image_url: string
  readonly bio: string
  readonly expertise: string
  readonly social_links: string
  readonly creator_name: string
  readonly creator_email: string
  readonly created_at: string
}

export const personaFromRow = (row: PersonaRow): Persona => ({
  id: row.id,
  name: row.name,
  imageUrl: row.image_url,
  bio: row.bio,
  expertise: JSON.parse(row.expertise),
  socialLinks: JSON.parse(row.social_links),
  creator: { name: row.creator_name, email: row.creator_email },
  createdAt: fromIso(row.created_at)
})

export const personaToRow = (persona: Persona) => ({
  id: persona.id,
  name: persona.name,
  image_url: persona.imageUrl,
  bio: persona.bio,
  expertise: JSON.stringify(persona.expertise),
  social_links: JSON.stringify(persona.socialLinks),
  creator_name: persona.creator.name,
  creator_email: persona.creator.email,
  creator_key: normalizeEmail(persona.creator.email),
  created_at: toIso(persona.createdAt)
})

const LicenseRow = Schema.Struct({
  organizationId: OrganizationId,
  personaId: PersonaId,
  grantedAt: InstantColumn,
  until: Schema.NullOr(InstantColumn),
  revokedAt: Schema.NullOr(InstantColumn)
}).pipe(
  Schema.encodeKeys({
    organizationId: "organization_id",
    personaId: "persona_id",
    grantedAt: "granted_at",
    until: "until_at",
    revokedAt: "revoked_at"
  })
)

const decodeLicense = Schema.decodeUnknownSync(LicenseRow)

export const licenseFromRow = (row: unknown): License => decodeLicense(row)
