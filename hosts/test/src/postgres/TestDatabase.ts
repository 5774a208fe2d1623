/**
 * Creates databases for tests on a Postgres server. Each database is used by at most one test at a time. All databases
 * are dropped at the end of the test run.
 */
import { randomBytes } from "node:crypto"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import * as RateWindows from "@partner-commentary/sql/access/RateWindows"
import { migrate } from "@partner-commentary/sql/Migrations"
import * as Stores from "@partner-commentary/sql/Stores"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import * as DatabaseTestClock from "./DatabaseTestClock.ts"

/** The URL of the test run's server. The global setup starts a server if TEST_DATABASE_URL is not set. */
const ofTheRun = Effect.suspend(() => {
  const url = process.env["TEST_DATABASE_URL"]
  return url === undefined || url === ""
    ? Effect.die(new Error("TEST_DATABASE_URL names no Postgres server, and the tests' setup has started none"))
    : Effect.succeed(url)
})

const at = (url: string, database: string): Redacted.Redacted => {
  const own = new URL(url)
  own.pathname = `/${database}`
  return Redacted.make(own.href)
}

/** Runs an effect on one database over a single connection. */
export const runOnDatabase = <A, E>(
  url: Redacted.Redacted,
  use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, SqlClient.SqlClient>
) =>
  Effect.orDie(
    Effect.provide(Effect.flatMap(SqlClient.SqlClient, use), Layer.fresh(PostgresClient.layer({ url, poolSize: 1 })))
  )

/** Returns the name prefix of a run's databases. The cleanup finds the databases by this prefix. */
const prefixOf = (run: string) => `test_${run}_`

const nameOf = (kind: string) =>
  `${prefixOf(process.env["TEST_DATABASE_RUN"] ?? "0")}${kind}_${randomBytes(6).toString("hex")}`

export const dropDatabasesOfRun = Effect.fnUntraced(function* (run: string) {
  yield* runOnDatabase(
    Redacted.make(yield* ofTheRun),
    Effect.fnUntraced(function* (sql) {
      const names = yield* sql<{ readonly name: string }>`SELECT datname AS name FROM pg_database
        WHERE starts_with(datname, ${prefixOf(run)})`
      for (const { name } of names) yield* sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    })
  )
})

/**
 * Deletes the rows of all tables except the migrations table. Deleting rows is faster than another copy of the
 * template, because tests store few rows.
 */
const empties = `DO $$ DECLARE place TEXT; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR place IN SELECT format('%I', tablename) FROM pg_tables
    WHERE schemaname = current_schema() AND tablename <> 'partner_commentary_migrations'
  LOOP EXECUTE 'DELETE FROM ' || place; END LOOP;
END $$`

const columnsOf = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly names: string }>`SELECT string_agg(relname || '.' || attname, ' ' ORDER BY relname, attname)
        || (SELECT COUNT(*) FROM pg_constraint) AS names
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind = 'r' AND attnum > 0`,
    ([row]) => row?.names
  )

type PostgresServices = Layer.Success<ReturnType<typeof Postgres.layerClient>>

export const makeTestDatabases = (server: Effect.Effect<string>) => {
  const run = (statement: string) =>
    Effect.flatMap(server, (url) => runOnDatabase(Redacted.make(url), (sql) => Effect.asVoid(sql.unsafe(statement))))

  const created = Effect.fnUntraced(function* (kind: string, template: string) {
    const name = nameOf(kind)
    yield* run(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
    return { name, url: at(yield* server, name) }
  })

  const owned = (template: Effect.Effect<string>) =>
    Effect.acquireRelease(
      Effect.flatMap(template, (name) => created("own", name)),
      ({ name }) => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    ).pipe(Effect.map(({ url }) => url))

  let made: Promise<string> | undefined
  let columns: string | undefined
  /** Makes a migrated template database for each test process. The other databases are copies of this template. */
  const migrated = Effect.promise(() => {
    made ??= Effect.runPromise(
      Effect.gen(function* () {
        const { name, url } = yield* created("template", "template0")
        columns = yield* runOnDatabase(url, (sql) => Effect.andThen(migrate, columnsOf(sql)))
        return name
      })
    )
    return made
  })

  const kept = Effect.flatMap(migrated, (name) => Effect.map(created("used", name), ({ url }) => url))
  const clean: Array<Redacted.Redacted> = []
  const clients = new Map<Redacted.Redacted, Promise<Context.Context<PostgresServices>>>()
  /**
   * The connections stay open for the lifetime of the process. A new session in each test would have to read the
   * catalogs of all tables and plan all statements.
   */
  const clientOf = (url: Redacted.Redacted) =>
    Effect.promise(() => {
      const made =
        clients.get(url) ??
        Effect.runPromise(Layer.buildWithScope(Layer.fresh(Postgres.layerClient({ url })), Scope.makeUnsafe()))
      clients.set(url, made)
      return made
    })
  const named = new Map<string, Redacted.Redacted>()

  /** A database with the current schema and no rows. Tests that do not change the schema can reuse this database. */
  const used = Effect.acquireRelease(
    Effect.suspend(() => {
      const ready = clean.pop()
      return ready === undefined ? kept : Effect.succeed(ready)
    }),
    (url) =>
      Effect.gen(function* () {
        const sql = Context.get(yield* clientOf(url), SqlClient.SqlClient)
        yield* sql.unsafe(empties)
        // If a test changed the schema, other tests cannot use the database.
        if ((yield* columnsOf(sql)) === columns) clean.push(url)
        // If a test terminated every session of the database, the queries above fail and the database is not reused.
      }).pipe(Effect.ignore)
  )

  return {
    /** A database without a schema. */
    empty: owned(Effect.succeed("template0")),
    /** A database with the current schema, for tests that change the schema. */
    fresh: owned(migrated),
    used,
    /** Returns the same database for each call with the same name. */
    named: (name: string) =>
      Effect.gen(function* () {
        const url = named.get(name) ?? (yield* kept)
        named.set(name, url)
        return url
      }),
    /** Provides the stores on a database with the current schema. */
    layer: Layer.unwrap(
      Effect.map(Effect.flatMap(used, clientOf), (client) =>
        Layer.provideMerge(Layer.merge(Stores.layer, RateWindows.layer), Layer.succeedContext(client))
      )
    )
  }
}

export const { empty, fresh, layer, named, used } = makeTestDatabases(ofTheRun)

/**
 * Provides the stores on a named database, with a test clock that waits for the database's replies. With the name
 * `:memory:` each layer has its own database. Layers with the same name, except `:memory:`, share one database until
 * the process ends.
 */
export const layerOfNamedDatabase = (name: string) =>
  Layer.provideMerge(
    DatabaseTestClock.layer,
    Layer.unwrap(Effect.map(name === ":memory:" ? used : named(name), (url) => Postgres.layerWithoutMigration({ url })))
  )
