/**
 * Runs the writes of one change: on Postgres, where a statement is a round trip, as one statement; on SQLite one after
 * the other. Each row may be written by only one of these writes.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment, Statement } from "effect/sql/Statement"

/** A write without RETURNING, and the expression that it returns for each row. */
export interface Write {
  readonly statement: Statement<unknown>
  readonly returning?: string
}

/** Returns the value of each write's last row; null if it returned no row. */
export type Returned = ReadonlyArray<number | null>

export const run = (sql: SqlClient, writes: ReadonlyArray<Write>): Effect.Effect<Returned, SqlError> =>
  sql.onDialectOrElse({ pg: () => atOnce(sql, writes), orElse: () => inTurn(sql, writes) })

const inTurn = (sql: SqlClient, writes: ReadonlyArray<Write>) =>
  Effect.forEach(writes, ({ returning, statement }) =>
    returning === undefined
      ? Effect.as(statement, null)
      : Effect.map(
          sql<{ readonly value: number }>`${statement} RETURNING ${sql.literal(returning)} AS value`,
          (rows) => rows.at(-1)?.value ?? null
        )
  )

/** The SELECT reads the writes in this order, so that rows are locked in this order. */
const atOnce = (sql: SqlClient, writes: ReadonlyArray<Write>) => {
  const part = (index: number) => sql.literal(`write_${index}`)
  const written = writes.map(
    ({ returning = "1", statement }, index): Fragment =>
      sql`${part(index)} AS (${statement} RETURNING ${sql.literal(returning)} AS value)`
  )
  const read = writes.map((_, index): Fragment => sql`(SELECT MAX(value) FROM ${part(index)}) AS ${part(index)}`)
  return Effect.map(
    sql<Readonly<Record<string, number | null>>>`WITH ${sql.csv(written)} SELECT ${sql.csv(read)}`,
    ([row]) => writes.map((_, index) => row?.[`write_${index}`] ?? null)
  )
}
