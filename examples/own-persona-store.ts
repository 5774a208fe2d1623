/**
 * Implements PersonaStore on the host's existing tables. A row of `contracts` permits a partner to ask an author.
 */
import { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import type { OrganizationId, PersonaId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"

// #region own-persona-store
type Author = Record<"id" | "pen_name" | "about" | "email" | "joined", string>

/**
 * Requests contain persona ids as lower-case UUIDs, whatever their case in the table. If `toPersona` returns an id that
 * was not requested, the service fails with an error that names this id. An index on lower(id) supports the lookup.
 */
const toPersona = ({ about, email, id, joined, pen_name: name }: Author) => {
  const notKept = { imageUrl: "", expertise: [], socialLinks: {} }
  const known = { id: id.toLowerCase() as PersonaId, name, bio: about, createdAt: Instant.fromIso(joined) }
  return { ...known, creator: { name, email }, ...notKept }
}

export const layer = Layer.effect(
  PersonaStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const contractsOf = (partner: OrganizationId, at: Instant.Instant) => sql`FROM authors a WHERE a.id IN
      (SELECT author FROM contracts WHERE partner = ${partner} AND (ends IS NULL OR ends > ${Instant.toIso(at)}))`
    const all = Effect.map((rows: ReadonlyArray<Author>) => rows.map(toPersona))
    return PersonaStore.of({
      find: (id) =>
        Effect.orDie(Effect.map(all(sql<Author>`SELECT * FROM authors WHERE lower(id) = ${id}`), Option.fromIterable)),
      licensedAmong: (partner, ids, at) =>
        Effect.orDie(all(sql<Author>`SELECT a.* ${contractsOf(partner, at)} AND lower(a.id) IN ${sql.in(ids)}`)),
      licensed: (partner, at) =>
        Effect.orDie(all(sql<Author>`SELECT a.* ${contractsOf(partner, at)} ORDER BY a.pen_name, lower(a.id)`))
    })
  })
)
// #endregion

// #region stores
/** Provides stores that read your own personas. Use this layer instead of `Sqlite.layer({ filename: database })`. */
export const layerWithOwnPersonas = (database: string) => Sqlite.layerWith({ filename: database }, layer)
// #endregion
