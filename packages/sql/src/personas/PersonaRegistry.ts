/**
 * Publishes personas and grants licences. The registry asks OrganizationStore whether an organization exists, because
 * an embedder may store organizations elsewhere.
 */
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import type { License } from "@partner-commentary/core/persona/License"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import { OrganizationId, PersonaId } from "@partner-commentary/core/shared/Ids"
import { toIso, toIsoOrNull } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { forUpdate } from "../database/Clauses.ts"
import { InstantColumn, normalizeEmail } from "../database/Columns.ts"
import { transact } from "../database/Transaction.ts"
import { type PersonaRow, personaFromRow } from "./PersonaStore.ts"

const personaToRow = (persona: Persona) => ({
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

const licenseFromRow = (row: unknown): License => decodeLicense(row)

export const layer = Layer.effect(
  PersonaRegistry,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const organizations = yield* OrganizationStore

    const update = Effect.fnUntraced(function* (id: PersonaId, change: (present: Persona) => Persona) {
      const [row] = yield* sql<PersonaRow>`SELECT * FROM personas WHERE id = ${id} ${forUpdate(sql)}`
      if (row === undefined) return Option.none<Persona>()
      const next = { ...change(personaFromRow(row)), id }
      yield* sql`UPDATE personas SET ${sql.update(personaToRow(next), ["id"])} WHERE id = ${id}`
      return Option.some(next)
    })

    return PersonaRegistry.of({
      insert: (persona) => Effect.orDie(Effect.asVoid(sql`INSERT INTO personas ${sql.insert(personaToRow(persona))}`)),

      update: (id, change) => transact(sql, update(id, change)),

      list: Effect.orDie(
        Effect.map(sql<PersonaRow>`SELECT * FROM personas ORDER BY created_at, id`, (rows) => rows.map(personaFromRow))
      ),

      byCreator: (email) =>
        Effect.orDie(
          Effect.map(
            sql<PersonaRow>`SELECT * FROM personas WHERE creator_key = ${normalizeEmail(email)} ORDER BY created_at, id`,
            (rows) => rows.map(personaFromRow)
          )
        ),

      grant: Effect.fnUntraced(function* ({ grantedAt, organizationId, personaId, revokedAt, until }) {
        if (Option.isNone(yield* organizations.find(organizationId))) return false
        const granted = yield* Effect.orDie(
          sql`INSERT INTO licenses (organization_id, persona_id, granted_at, until_at, revoked_at)
            SELECT ${organizationId}, id, ${toIso(grantedAt)}, ${toIsoOrNull(until)}, ${toIsoOrNull(revokedAt)}
            FROM personas WHERE id = ${personaId}
            ON CONFLICT (organization_id, persona_id) DO UPDATE SET
              granted_at = CASE WHEN licenses.revoked_at IS NULL THEN licenses.granted_at ELSE excluded.granted_at END,
              until_at = excluded.until_at, revoked_at = excluded.revoked_at
            RETURNING persona_id`
        )
        return granted.length > 0
      }),

      revoke: (organizationId, personaId, at) =>
        Effect.orDie(
          Effect.map(
            sql`UPDATE licenses SET revoked_at = COALESCE(revoked_at, ${toIso(at)})
              WHERE organization_id = ${organizationId} AND persona_id = ${personaId} RETURNING *`,
            ([row]) => (row === undefined ? Option.none() : Option.some(licenseFromRow(row)))
          )
        ),

      licenses: (organizationId) =>
        Effect.orDie(
          Effect.map(
            sql<{ readonly persona_name: string }>`SELECT l.*, p.name AS persona_name
              FROM licenses l JOIN personas p ON p.id = l.persona_id
              WHERE l.organization_id = ${organizationId} ORDER BY p.name, p.id`,
            (rows) => rows.map((row) => ({ ...licenseFromRow(row), personaName: row.persona_name }))
          )
        )
    })
  })
)
