/** Makes a table reject some rows, to simulate a database failure in the middle of a change. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

interface Fault {
  readonly table: string
  readonly on: "INSERT" | "UPDATE"
  /** The SQL condition of the rejected rows. In the condition, `row` is the prefix of every column name. */
  readonly rows: (row: "" | "NEW.") => string
}

export const makeWritesFail = (sql: SqlClient, { on, rows, table }: Fault) =>
  Effect.asVoid(
    sql.onDialectOrElse({
      pg: () => sql.unsafe(`ALTER TABLE ${table} ADD CONSTRAINT broken CHECK ((${rows("")}) IS NOT TRUE)`),
      orElse: () =>
        sql.unsafe(`CREATE TRIGGER broken BEFORE ${on} ON ${table} WHEN ${rows("NEW.")}
          BEGIN SELECT RAISE(ABORT, 'gone'); END`)
    })
  )

export const stopWriteFailures = (sql: SqlClient, { table }: Fault) =>
  Effect.asVoid(
    sql.onDialectOrElse({
      pg: () => sql.unsafe(`ALTER TABLE ${table} DROP CONSTRAINT broken`),
      orElse: () => sql.unsafe("DROP TRIGGER broken")
    })
  )
