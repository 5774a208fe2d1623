/**
 * Reads which migrations a database has applied, and why the database is not writable. Reading the schema status
 * changes nothing and locks no table.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { DatabaseReadOnly, SchemaForbidden, WrongDatabaseEncoding } from "./SchemaErrors.ts"

/** The name of the table that lists the applied migrations. */
export const migrationsTable = "partner_commentary_migrations"

export interface SchemaStatus {
  /** The names of the applied migrations, by migration id. */
  readonly applied: ReadonlyMap<number, string>
  /** The highest id of an applied migration, or 0 if no migration was applied. */
  readonly newest: number
  /** True when the database contains no table, not even a table of another application. */
  readonly isEmpty: boolean
  /** The reason why no migration can start, if there is a reason. */
  readonly obstacle: Option.Option<DatabaseReadOnly | SchemaForbidden>
}

interface Server {
  readonly found: string | null
  readonly tables: 0 | 1
  readonly encoding: string
  readonly place: string | null
  readonly person: string
  readonly creates: 0 | 1 | null
  readonly standby: 0 | 1
  readonly reads_only: string
}

/** Reads the status of the schema. The effect fails when the service cannot use the database's encoding. */
export const readSchemaStatus: Effect.Effect<SchemaStatus, SqlError | WrongDatabaseEncoding, SqlClient.SqlClient> =
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.onDialectOrElse({ pg: () => onPostgres(sql), orElse: () => onSqlite(sql) })
  )

const onPostgres = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [server] = yield* sql<Server>`SELECT CAST(to_regclass(${migrationsTable}) AS TEXT) AS found,
    CAST(EXISTS (SELECT FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema$)') AS INTEGER) AS tables,
    current_setting('server_encoding') AS encoding, quote_ident(current_schema()) AS place, quote_ident(current_user) AS person,
    CAST(has_schema_privilege(current_schema(), 'CREATE') AS INTEGER) AS creates, CAST(pg_is_in_recovery() AS INTEGER) AS standby,
    current_setting('transaction_read_only') AS reads_only`.withoutTransform
  if (server === undefined) return yield* Effect.die(new Error("Postgres answered a SELECT without FROM with no row"))
  if (server.encoding !== "UTF8") return yield* new WrongDatabaseEncoding({ encoding: server.encoding })
  const isThere = server.found !== null
  return {
    ...(isThere ? yield* readAppliedMigrations(sql) : nothing),
    isEmpty: server.tables === 0,
    obstacle: Option.orElse(unwritten(server), () =>
      isThere || server.creates === 1
        ? Option.none()
        : Option.some(new SchemaForbidden({ role: server.person, place: server.place }))
    )
  }
})

const unwritten = ({ reads_only, standby }: Pick<Server, "reads_only" | "standby">) =>
  standby === 1 || reads_only === "on" ? Option.some(new DatabaseReadOnly({ isStandby: standby === 1 })) : Option.none()

const onSqlite = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const names = yield* sql<{ readonly name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
    .withoutTransform
  const isThere = names.some(({ name }) => name === migrationsTable)
  return {
    ...(isThere ? yield* readAppliedMigrations(sql) : nothing),
    isEmpty: names.length === 0,
    obstacle: Option.none()
  }
})

const nothing: Pick<SchemaStatus, "applied" | "newest"> = { applied: new Map(), newest: 0 }

const readAppliedMigrations = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly id: number; readonly name: string }>`SELECT migration_id AS id, name FROM ${sql(migrationsTable)}`
      .withoutTransform,
    (rows): typeof nothing => {
      const applied = new Map(rows.map(({ id, name }) => [Number(id), name]))
      return { applied, newest: Math.max(0, ...applied.keys()) }
    }
  )
