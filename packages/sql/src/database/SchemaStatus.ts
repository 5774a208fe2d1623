/** How far a database's schema is, and what keeps anybody from writing there. It looks only: nothing is changed, and no table locked. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { SchemaForbidden, WritesRefused, WrongEncoding } from "./SchemaErrors.ts"

/** Holds which migrations were applied. */
export const table = "partner_commentary_migrations"

export interface SchemaStatus {
  /** The migrations that the database has seen, by their ids. */
  readonly applied: ReadonlySet<number>
  /** The highest migration that the database has seen; 0 where there was none. */
  readonly newest: number
  /** There is no table at all, nobody else's either. */
  readonly isEmpty: boolean
  /** Why a migration could not even begin, as far as that is to be seen beforehand. */
  readonly obstacle: Option.Option<WritesRefused | SchemaForbidden>
}

interface Server {
  readonly found: string | null
  readonly tables: boolean
  readonly encoding: string
  readonly place: string | null
  readonly person: string
  readonly creates: boolean | null
  readonly standby: boolean
  readonly reads_only: string
}

/** Fails where the database can never serve. */
export const look: Effect.Effect<SchemaStatus, SqlError | WrongEncoding, SqlClient.SqlClient> = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql.onDialectOrElse({ pg: () => onPostgres(sql), orElse: () => onSqlite(sql) })
)

const onPostgres = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [server] = yield* sql<Server>`SELECT CAST(to_regclass(${table}) AS TEXT) AS found,
    EXISTS (SELECT FROM pg_tables WHERE schemaname !~ '^(pg_|information_schema$)') AS tables,
    current_setting('server_encoding') AS encoding, quote_ident(current_schema()) AS place, quote_ident(current_user) AS person,
    has_schema_privilege(current_schema(), 'CREATE') AS creates, pg_is_in_recovery() AS standby,
    current_setting('transaction_read_only') AS reads_only`.withoutTransform
  if (server === undefined) return yield* Effect.die(new Error("Postgres answered a SELECT without FROM with no row"))
  if (server.encoding !== "UTF8") return yield* new WrongEncoding({ encoding: server.encoding })
  const isThere = server.found !== null
  return {
    ...(isThere ? yield* seen(sql) : nothing),
    isEmpty: !server.tables,
    obstacle: Option.orElse(unwritten(server), () =>
      isThere || server.creates === true
        ? Option.none()
        : Option.some(new SchemaForbidden({ role: server.person, place: server.place }))
    )
  }
})

const unwritten = ({ reads_only, standby }: Pick<Server, "reads_only" | "standby">) =>
  standby || reads_only === "on" ? Option.some(new WritesRefused({ isStandby: standby })) : Option.none()

const onSqlite = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const names = yield* sql<{ readonly name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
    .withoutTransform
  const isThere = names.some(({ name }) => name === table)
  return { ...(isThere ? yield* seen(sql) : nothing), isEmpty: names.length === 0, obstacle: Option.none() }
})

const nothing: Pick<SchemaStatus, "applied" | "newest"> = { applied: new Set(), newest: 0 }

const seen = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly id: number }>`SELECT migration_id AS id FROM ${sql(table)}`.withoutTransform,
    (rows): typeof nothing => {
      const ids = rows.map(({ id }) => Number(id))
      return { applied: new Set(ids), newest: Math.max(0, ...ids) }
    }
  )
