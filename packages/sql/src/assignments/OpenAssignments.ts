/**
 * Lists open live assignments in pages, and selects a creator's open assignments in rounds. Each round has the oldest
 * remaining assignment of each organization, so that a long list of one organization cannot hide the assignments of
 * other organizations. The query reads only the needed part of the index.
 */
import type { ShareId } from "@partner-commentary/core/shared/Ids"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { limitClause } from "../database/Clauses.ts"

export const make = (sql: SqlClient.SqlClient) => {
  /** The condition of the partial index on open assignments. */
  const openOf = (creatorKey: string) =>
    sql`a.creator_key = ${creatorKey} AND a.due_at IS NOT NULL AND a.environment = 'live'`

  /**
   * Postgres evaluates the recursive query lazily and allows no LIMIT in the recursive part. SQLite evaluates the whole
   * recursion, so the SQLite query needs the LIMIT.
   */
  const end = sql.onDialectOrElse({
    pg: () => () => sql.literal(""),
    orElse: () => (limit: number) => sql`${limitClause(sql, limit)}`
  })

  /**
   * Returns a WITH clause whose relation `rounds` contains the ids of the assignments, round by round. The caller must
   * select from `rounds` with a LIMIT clause.
   */
  const makeRoundsClause = (creatorKey: string, limit: number) => {
    const open = openOf(creatorKey)
    return sql`WITH RECURSIVE owner (id, place) AS (
        SELECT (SELECT a.organization_id FROM assignments a WHERE ${open} ORDER BY a.organization_id LIMIT 1), 1
        UNION ALL
        SELECT (SELECT a.organization_id FROM assignments a WHERE ${open} AND a.organization_id > owner.id
          ORDER BY a.organization_id LIMIT 1), place + 1 FROM owner WHERE owner.id IS NOT NULL AND place < ${limit}
      ), rounds (organization_id, created_at, id) AS (
        SELECT one.organization_id, one.created_at, one.id FROM owner JOIN assignments one ON one.id = (
          SELECT a.id FROM assignments a WHERE ${open} AND a.organization_id = owner.id
          ORDER BY a.created_at, a.id LIMIT 1)
        UNION ALL
        SELECT one.organization_id, one.created_at, one.id FROM rounds t JOIN assignments one ON one.id = (
          SELECT a.id FROM assignments a WHERE ${open} AND a.organization_id = t.organization_id
            AND (a.created_at, a.id) > (t.created_at, t.id)
          ORDER BY a.created_at, a.id LIMIT 1)
        ${end(limit)})`
  }

  /** Counts the creator's open assignments, and stops at `limit`. */
  const count = (creatorKey: string, limit: number) =>
    sql<{ readonly total: number }>`SELECT CAST(COUNT(*) AS INTEGER) AS total
      FROM (SELECT 1 FROM assignments a WHERE ${openOf(creatorKey)} ${limitClause(sql, limit)}) AS few`

  return { count, makeRoundsClause }
}

/**
 * Lists the open live assignments of all organizations for operators, ordered by their ids. Unlike a due time, the id
 * stays the same when a mail of the page is sent.
 */
export const listOpenShareIds = Effect.fnUntraced(function* (after: Option.Option<ShareId>, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: ShareId }>`SELECT id FROM assignments
    WHERE due_at IS NOT NULL AND environment = 'live' AND id > ${Option.getOrElse(after, () => "")}
    ORDER BY id ${limitClause(sql, limit + 1)}`
  const ids = rows.slice(0, limit).map(({ id }) => id)
  return { ids, next: rows.length > limit ? (ids.at(-1) ?? null) : null }
}, Effect.orDie)
