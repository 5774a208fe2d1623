/** A database of its own for each time it is asked for, on the server that TEST_DATABASE_URL names; gone with its scope. */
import { randomBytes } from "node:crypto"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import { migrate } from "@partner-commentary/sql/Migrations"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as SettlingClock from "./SettlingClock.ts"

/** The server's own address: the tests' setup starts one, so that there is always one. */
export const server = Effect.suspend(() => {
  const url = process.env["TEST_DATABASE_URL"]
  return url === undefined || url === ""
    ? Effect.die(new Error("TEST_DATABASE_URL names no Postgres server, and the tests' setup has started none"))
    : Effect.succeed(url)
})

export const at = (url: string, database: string): Redacted.Redacted => {
  const own = new URL(url)
  own.pathname = `/${database}`
  return Redacted.make(own.href)
}

/** Statements on a database by themselves, without a transaction. */
export const onDatabase = <A, E>(
  url: Redacted.Redacted,
  use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, SqlClient.SqlClient>
) =>
  Effect.orDie(
    Effect.provide(Effect.flatMap(SqlClient.SqlClient, use), Layer.fresh(PostgresClient.layer({ url, poolSize: 1 })))
  )

const run = (url: string, statement: string) =>
  onDatabase(Redacted.make(url), (sql) => Effect.asVoid(sql.unsafe(statement)))

/** What all databases of a run of the tests begin with, by which its end finds what is left of them. */
export const prefixOf = (run: string) => `test_${run}_`

const nameOf = (kind: string) =>
  `${prefixOf(process.env["TEST_DATABASE_RUN"] ?? "0")}${kind}_${randomBytes(6).toString("hex")}`

export const dropAll = Effect.fnUntraced(function* (run: string) {
  const drop = (sql: SqlClient.SqlClient) =>
    Effect.gen(function* () {
      const names = yield* sql<{ readonly name: string }>`SELECT datname AS name FROM pg_database
        WHERE starts_with(datname, ${prefixOf(run)})`
      for (const { name } of names) yield* sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    })
  yield* onDatabase(Redacted.make(yield* server), drop)
})

const owned = (template: Effect.Effect<string>) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const url = yield* server
      const name = nameOf("own")
      yield* run(url, `CREATE DATABASE ${name} TEMPLATE ${yield* template}`)
      return { url: at(url, name), name }
    }),
    ({ name }) => Effect.flatMap(server, (url) => run(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  ).pipe(Effect.map(({ url }) => url))

/** Empty. */
export const empty = owned(Effect.succeed("template0"))

let made: Promise<string> | undefined

/** One for each process of tests, migrated once, from which the others are copied. */
const migrated = Effect.promise(() => {
  made ??= Effect.runPromise(
    Effect.gen(function* () {
      const url = yield* server
      const name = nameOf("template")
      yield* run(url, `CREATE DATABASE ${name} TEMPLATE template0`)
      yield* onDatabase(at(url, name), () => migrate)
      return name
    })
  )
  return made
})

/** Of the present schema. */
export const fresh = owned(migrated)

const clean: Array<Redacted.Redacted> = []

/** Faster than a copy: nothing in the tables of any test is worth keeping. */
const empties = `DO $$ DECLARE place TEXT; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR place IN SELECT format('%I', tablename) FROM pg_tables
    WHERE schemaname = current_schema() AND tablename <> 'partner_commentary_migrations'
  LOOP EXECUTE 'DELETE FROM ' || place; END LOOP;
END $$`

/** Of the present schema and empty, perhaps used before: for tests that leave the schema as it is. Gone with the run. */
export const used = Effect.acquireRelease(
  Effect.suspend(() => {
    const ready = clean.pop()
    return ready === undefined ? kept : Effect.succeed(ready)
  }),
  (url) =>
    Effect.andThen(
      onDatabase(url, (sql) => sql.unsafe(empties)),
      Effect.sync(() => clean.push(url))
    )
)

const kept = Effect.gen(function* () {
  const url = yield* server
  const name = nameOf("used")
  yield* run(url, `CREATE DATABASE ${name} TEMPLATE ${yield* migrated}`)
  return at(url, name)
})

/** The stores on one of the present schema. */
export const layer = Layer.unwrap(Effect.map(used, (url) => Postgres.layerAsIs({ url })))

const named = new Map<string, Redacted.Redacted>()

/** The same stores, and a clock that waits for them. A name other than `:memory:` means one database as long as the process lives. */
export const layerNamed = (name: string) => {
  const own = Effect.gen(function* () {
    const url = named.get(name) ?? (yield* kept)
    named.set(name, url)
    return url
  })
  const stores = Layer.unwrap(Effect.map(name === ":memory:" ? used : own, (url) => Postgres.layerAsIs({ url })))
  return Layer.provideMerge(SettlingClock.layer, stores)
}
