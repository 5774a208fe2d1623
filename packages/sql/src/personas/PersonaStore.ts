/**
 * Reads personas and licences from the tables that PersonaRegistry writes. The mapping is written by hand for speed,
 * because every submission reads personas.
 */
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import type { PersonaId } from "@partner-commentary/core/shared/Ids"
import { fromIso, toIso } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { DirectReads, makePreparedRead, readBySqlStatement } from "../database/DirectReads.ts"

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

const personasFromRows = (rows: ReadonlyArray<PersonaRow>): ReadonlyArray<Persona> => rows.map(personaFromRow)

const columns = `p.id, p.name, p.image_url, p.bio, p.expertise, p.social_links, p.creator_name, p.creator_email,
  p.created_at`

export const layer = Layer.effect(
  PersonaStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const direct = yield* DirectReads

    const licensedRows = (organization: string, now: string, rest: Fragment) =>
      sql<PersonaRow>`SELECT ${sql.literal(columns)} FROM licenses l JOIN personas p ON p.id = l.persona_id
        WHERE l.organization_id = ${organization} AND l.revoked_at IS NULL
          AND (l.until_at IS NULL OR l.until_at > ${now}) ${rest}`

    const readAll = makePreparedRead<PersonaRow, "organization" | "now">(sql, direct, (value) =>
      licensedRows(value("organization"), value("now"), sql`ORDER BY p.name, p.id`)
    )

    return PersonaStore.of({
      find: (id) =>
        Effect.orDie(
          Effect.map(sql<PersonaRow>`SELECT * FROM personas WHERE id = ${id}`, ([row]) =>
            row === undefined ? Option.none() : Option.some(personaFromRow(row))
          )
        ),

      licensedAmong: (organizationId, ids, at) => {
        const rows = licensedRows(organizationId, toIso(at), sql`AND l.persona_id IN ${sql.in(ids)}`)
        return Effect.orDie(Effect.map(readBySqlStatement(sql, direct, rows), personasFromRows))
      },

      licensed: (organizationId, at) =>
        Effect.orDie(Effect.map(readAll({ organization: organizationId, now: toIso(at) }), personasFromRows))
    })
  })
)
