/**
 * Queries a queue table that many owners share, and gives each owner a fair share of the due rows. The table's index
 * begins with the owner column. A recursive query finds each owner with one index step, even if an owner has many rows.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { limitClause } from "./Clauses.ts"

export interface FairQueueTable {
  /** The name of the table, followed by the condition of the partial index. */
  readonly rows: string
  /**
   * The column or SQL expression that contains the owner of a row. The owner is never null, and the index begins with
   * the owner.
   */
  readonly owner: string
  /** The column or SQL expression that contains the due time. The index continues with the due time and the key. */
  readonly dueAt: string
  /** The columns that identify a row, by default `id`. */
  readonly key?: ReadonlyArray<string>
}

/**
 * Returns a WITH clause whose relation `owner` contains each owner that has waiting rows, even if no row is due. The
 * last row of the relation `owner` contains null.
 */
export const makeOwnersClause = ({
  owner,
  rows
}: Pick<FairQueueTable, "owner" | "rows">) => `WITH RECURSIVE owner (id) AS (
      SELECT (SELECT ${owner} FROM ${rows} ORDER BY ${owner} LIMIT 1)
      UNION ALL
      SELECT (SELECT ${owner} FROM ${rows} AND ${owner} > owner.id ORDER BY ${owner} LIMIT 1) FROM owner WHERE owner.id IS NOT NULL)`

/** Returns the first due time of an owner. */
export const makeFirstDueAtSubquery = ({ dueAt, owner, rows }: FairQueueTable) =>
  `(SELECT ${dueAt} FROM ${rows} AND ${owner} = owner.id ORDER BY ${dueAt} LIMIT 1)`

export interface DueRowsQuery {
  readonly now: string
  /** The maximum number of owners and the maximum number of rows. */
  readonly limit: number
  /** The sort order of the owners. If there are more owners than the limit, the query drops the last owners. */
  readonly first: Fragment
  readonly locked: Fragment
}

/**
 * Returns a WITH clause whose relation `due` contains the owner and the key of each selected due row. Each owner gets at
 * most an equal share of the limit, and an owner's longest overdue rows come first.
 */
export const makeDueRowsClause = (
  sql: SqlClient,
  queue: FairQueueTable,
  { first, limit, locked, now }: DueRowsQuery
): Fragment => {
  const { dueAt: due, key = ["id"] } = queue
  const dueAt = sql.literal(due)
  const columns = sql.literal(key.join(", "))
  const part = sql`SELECT ${columns} FROM ${sql.literal(`${queue.rows} AND ${queue.owner}`)} = waiting.id AND ${dueAt} <= ${now}
        ORDER BY ${dueAt}, ${columns} LIMIT (SELECT CAST(${limit} AS INTEGER) / COUNT(*) FROM waiting) ${locked}`
  const selected = sql.onDialectOrElse({
    pg: () => sql`SELECT waiting.id, part.* FROM waiting CROSS JOIN LATERAL (${part}) AS part`,
    // SQLite supports LATERAL joins only with table functions.
    orElse:
      () => sql`SELECT waiting.id, ${sql.literal(key.map((_, place) => `part.value ->> ${place}`).join(", "))} FROM waiting
        CROSS JOIN json_each((SELECT json_group_array(json_array(${columns})) FROM (${part}) AS few)) AS part`
  })
  // The sum of all owners' shares never exceeds the limit. The LIMIT clause repeats the limit for the query planner.
  return sql`${sql.literal(makeOwnersClause(queue))},
    waiting (id) AS (SELECT id FROM owner WHERE ${sql.literal(makeFirstDueAtSubquery(queue))} <= ${now} ORDER BY ${first} ${limitClause(sql, limit)}),
    due (owner, ${columns}) AS MATERIALIZED (${selected} ${limitClause(sql, limit)})`
}
