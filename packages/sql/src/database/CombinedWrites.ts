/**
 * Runs the writes of one change. On Postgres all writes are one statement, because each statement needs a network round
 * trip. On SQLite, each write is a separate statement. Two writes must not change the same row.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment, Statement } from "effect/sql/Statement"

/**
 * A write statement without a RETURNING clause. The field `returning` contains the expression that the statement
 * returns for each row.
 */
export interface WriteStatement {
  readonly statement: Statement<unknown>
  readonly returning?: string
}

/**
 * The results of the writes, with one element for each write. For a write with a `returning` expression, the element is
 * the returned value, or null if the write affected no row.
 */
export type WriteResults = ReadonlyArray<number | null>

export const run = (sql: SqlClient, writes: ReadonlyArray<WriteStatement>): Effect.Effect<WriteResults, SqlError> =>
  sql.onDialectOrElse({ pg: () => atOnce(sql, writes), orElse: () => inTurn(sql, writes) })

const inTurn = (sql: SqlClient, writes: ReadonlyArray<WriteStatement>) =>
  Effect.forEach(writes, ({ returning, statement }) =>
    returning === undefined
      ? Effect.as(statement, null)
      : Effect.map(
          sql<{ readonly value: number }>`${statement} RETURNING ${sql.literal(returning)} AS value`,
          (rows) => rows.at(-1)?.value ?? null
        )
  )

/**
 * The SELECT clause reads the results of the writes in order, so that Postgres locks the rows in the order of the
 * writes.
 */
const atOnce = (sql: SqlClient, writes: ReadonlyArray<WriteStatement>) => {
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
