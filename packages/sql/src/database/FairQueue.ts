/**
 * A queue table with one lane for each owner, and a fair share of the due rows for each lane. The queue's index begins with the
 * lane, so that a recursive query finds each lane with one index step, however many rows another lane has.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { limitTo } from "./Limit.ts"

export interface Queue {
  /** The table, and the condition under which its rows wait: that of the index. */
  readonly rows: string
  /** The column, or the expression, that says whose a row is: not null, and what the index begins with. */
  readonly lane: string
}

/** Begins a statement: `lane` has each lane in which something waits, due or not, and a null at its end. */
export const lanes = ({ lane, rows }: Queue) => `WITH RECURSIVE lane (id) AS (
      SELECT (SELECT ${lane} FROM ${rows} ORDER BY ${lane} LIMIT 1)
      UNION ALL
      SELECT (SELECT ${lane} FROM ${rows} AND ${lane} > lane.id ORDER BY ${lane} LIMIT 1) FROM lane WHERE lane.id IS NOT NULL)`

/** When the first of a lane falls due. */
export const head = ({ lane, rows }: Queue) =>
  `(SELECT due_at FROM ${rows} AND ${lane} = lane.id ORDER BY due_at LIMIT 1)`

export interface Share {
  readonly now: string
  /** So many lanes and so many rows at most. */
  readonly limit: number
  /** Which lanes come first, where there is not room for all. */
  readonly first: Fragment
  readonly locked: Fragment
}

/**
 * Begins a statement: `due` has the lane and the id of rows that are due. Each lane gets one before any gets more, and none more than
 * its even part; within a lane the longest overdue come first.
 */
export const inTurn = (sql: SqlClient, queue: Queue, { first, limit, locked, now }: Share): Fragment => {
  const part = sql`SELECT id FROM ${sql.literal(`${queue.rows} AND ${queue.lane}`)} = waiting.id AND due_at <= ${now}
        ORDER BY due_at, id LIMIT (SELECT CAST(${limit} AS INTEGER) / COUNT(*) FROM waiting) ${locked}`
  const due = sql.onDialectOrElse({
    pg: () => sql`SELECT waiting.id, part.id FROM waiting CROSS JOIN LATERAL (${part}) AS part`,
    // SQLite lets no list depend on another one's row, unless a function makes it.
    orElse: () => sql`SELECT waiting.id, part.value FROM waiting
        CROSS JOIN json_each((SELECT json_group_array(id) FROM (${part}) AS few)) AS part`
  })
  // The shares never exceed the limit in total. The LIMIT is repeated for the query planner.
  return sql`${sql.literal(lanes(queue))},
    waiting (id) AS (SELECT id FROM lane WHERE ${sql.literal(head(queue))} <= ${now} ORDER BY ${first} ${limitTo(sql, limit)}),
    due (lane, id) AS MATERIALIZED (${due} ${limitTo(sql, limit)})`
}
