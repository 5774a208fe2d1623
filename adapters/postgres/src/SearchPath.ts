/**
 * Keeps the service's tables in a separate schema of the host's database. Each transaction sets the search path with
 * SET LOCAL, so the setting ends with the transaction. The service's search path affects neither other users of a
 * pooled session nor the host's statements.
 */
import { takeAdvisoryLock } from "@partner-commentary/sql/database/Lock"
import { PostgresSchemaMissing, SchemaForbidden } from "@partner-commentary/sql/database/SchemaErrors"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * Temporary tables come last in the search path, because otherwise a temporary table could hide a table of the service.
 */
export const makeSearchPath = (schema: string): string => `${quoted(schema)}, pg_temp`

/** Returns the statement that sets the search path until the transaction ends. */
export const makeSetSearchPathStatement = (schema: string): string =>
  `SET LOCAL search_path TO ${makeSearchPath(schema)}`

/** Sets the search path inside the host's transaction. The returned effect restores the host's search path. */
export const setSearchPathWithRestore = (schema: string) =>
  Effect.fnUntraced(function* (connection: Connection) {
    const [before] = yield* connection.execute("SELECT current_setting('search_path') AS path", [], undefined)
    yield* connection.execute(makeSetSearchPathStatement(schema), [], undefined)
    return connection.execute("SELECT set_config('search_path', $1, TRUE) AS path", [before?.path ?? ""], undefined)
  })

/** Runs a statement in its own transaction, because only a transaction can limit the search path to one statement. */
export const runInOwnTransaction =
  <A, E, R>(
    {
      begin,
      commit
    }: Readonly<Record<"begin" | "commit", (connection: Connection) => Effect.Effect<unknown, SqlError>>>,
    use: (connection: Connection) => Effect.Effect<A, E, R>
  ) =>
  (connection: Connection): Effect.Effect<A, E | SqlError, R> =>
    Effect.andThen(
      begin(connection),
      Effect.tap(
        Effect.onError(use(connection), () => Effect.ignore(connection.executeRaw("ROLLBACK", []))),
        () => commit(connection)
      )
    ).pipe(Effect.uninterruptible)

interface Found {
  readonly present: 0 | 1
  readonly usable: 0 | 1 | null
  readonly creates: 0 | 1
  readonly role: string
  readonly place: string
  readonly database: string
}

const look = (sql: SqlClient.SqlClient, schema: string) =>
  sql<Found>`SELECT CAST(oid IS NOT NULL AS INTEGER) AS present,
      CAST(has_schema_privilege(oid, 'USAGE') AS INTEGER) AS usable,
      CAST(has_database_privilege(current_database(), 'CREATE') AS INTEGER) AS creates,
      quote_ident(current_user) AS role, quote_ident(name) AS place, quote_ident(current_database()) AS database
    FROM (SELECT CAST(${schema} AS TEXT) AS name) AS wanted LEFT JOIN pg_namespace ON nspname = name`.withoutTransform

/**
 * Creates the schema if the schema does not exist. The function fails if the role may not create or use the schema.
 * Without a schema name, the function does nothing, and the service uses the search path of the sessions.
 */
export const createSchema = Effect.fnUntraced(function* (schema: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  if (schema === undefined) return
  const [found] = yield* look(sql, schema)
  if (found === undefined) return
  const { creates, database, place, present, role, usable } = found
  if (present === 0 && creates === 0) return yield* new PostgresSchemaMissing({ role, place, database })
  if (present === 1 && usable === 0) return yield* new SchemaForbidden({ role, place, privileges: "USAGE, CREATE" })
  if (present === 1) return
  yield* sql.withTransaction(
    Effect.andThen(
      // Processes that start at the same time wait for the lock until the first process has created the schema.
      takeAdvisoryLock(sql, "partner_commentary_schema"),
      sql.unsafe(`CREATE SCHEMA IF NOT EXISTS ${quoted(schema)}`)
    )
  )
})
