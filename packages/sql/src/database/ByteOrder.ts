/**
 * Makes Postgres compare texts by bytes, because ids, times and cursors depend on that order. By default Postgres uses
 * the collation of the database, so each new text column gets the collation C.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

interface Column {
  readonly name: string
  readonly place: string
}

/** Returns the text columns of the current schema that have the default collation. */
const unordered = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<Column>`SELECT quote_ident(column_name) AS name, quote_ident(table_name) AS place
      FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND data_type = 'text'
        AND collation_name IS NULL ORDER BY table_name, column_name`.withoutTransform
)

const keyOf = ({ name, place }: Column) => `${place}.${name}`

/**
 * Runs migrations, and sets the collation of the columns that they create. The collation of existing columns does not
 * change, because these columns may belong to another application.
 */
export const withByteOrderCollation = <A, E, R>(
  migrations: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, R | SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const before = new Set((yield* unordered).map(keyOf))
    const made = yield* migrations
    const tables = new Map<string, Array<string>>()
    for (const column of yield* unordered) {
      if (before.has(keyOf(column))) continue
      const changes = tables.get(column.place) ?? []
      tables.set(column.place, [...changes, `ALTER COLUMN ${column.name} TYPE TEXT COLLATE "C"`])
    }
    for (const [table, changes] of tables) yield* sql`ALTER TABLE ${sql.literal(`${table} ${changes.join(", ")}`)}`
    return made
  })
