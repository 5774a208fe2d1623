/** Reads personas and licences from the tables that PersonaRegistry writes. */
import { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import { type Instant, toIso } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { fromRow, type PersonaRow } from "./PersonaRow.ts"

export const layer = Layer.effect(
  PersonaStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isActive = (at: Instant) => sql`l.revoked_at IS NULL AND (l.until_at IS NULL OR l.until_at > ${toIso(at)})`

    return PersonaStore.of({
      find: (id) =>
        Effect.orDie(
          Effect.map(sql<PersonaRow>`SELECT * FROM personas WHERE id = ${id}`, ([row]) =>
            row === undefined ? Option.none() : Option.some(fromRow(row))
          )
        ),

      licensedAmong: (organizationId, ids, at) =>
        Effect.orDie(
          Effect.map(
            sql<PersonaRow>`SELECT p.* FROM licenses l JOIN personas p ON p.id = l.persona_id
              WHERE l.organization_id = ${organizationId} AND l.persona_id IN ${sql.in(ids)} AND ${isActive(at)}`,
            (rows) => rows.map(fromRow)
          )
        ),

      licensed: (organizationId, at) =>
        Effect.orDie(
          Effect.map(
            sql<PersonaRow>`SELECT p.* FROM licenses l JOIN personas p ON p.id = l.persona_id
              WHERE l.organization_id = ${organizationId} AND ${isActive(at)} ORDER BY p.name, p.id`,
            (rows) => rows.map(fromRow)
          )
        )
    })
  })
)
