/**
 * Effect's `SqlClient` on the pool of a host application. Type parsers, timeouts and the pool's size stay the host's.
 * The schema is set for each transaction separately and no session keeps it, because of poolers in transaction mode and
 * the host's own statements.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { corruption, KnownFault } from "@partner-commentary/sql/database/DatabaseFault"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Stream from "effect/Stream"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as HostPool from "./HostPool.ts"
import { endsSession, toSqlError } from "./ServerError.ts"
import { toParameter } from "./Values.ts"

export interface HostPoolConfig {
  readonly pool: HostPool.HostPool
  /** The schema that contains the tables. Without it, the search path of the host's sessions applies. */
  readonly schema?: string | undefined
}

type Ask = (sql: string, params: ReadonlyArray<unknown>) => Effect.Effect<HostPool.Answer, SqlError>

/** A statement is not interrupted, because its session would go back to the pool before the answer. */
const asking =
  (session: HostPool.Queryable): Ask =>
  (sql, params) =>
    Effect.uninterruptible(
      Effect.tryPromise({
        // A text without parameters may contain several statements.
        try: () =>
          Promise.resolve(params.length === 0 ? session.query(sql) : session.query(sql, params.map(toParameter))),
        catch: (cause) => toSqlError(cause, "execute the statement")
      })
    )

/**
 * The client sends statements in the form of Effect's client. Nothing is prepared, because the name of a prepared
 * statement would stay with the host's session.
 */
const toConnection = (ask: Ask): Connection => {
  const rows = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.map(ask(sql, params), ({ rows }) => rows as ReadonlyArray<Record<string, unknown>>)
  const run: Connection["execute"] = (sql, params, transform) =>
    transform === undefined ? rows(sql, params) : Effect.map(rows(sql, params), transform)
  const values: Connection["executeValues"] = (sql, params) =>
    Effect.map(rows(sql, params), (all) => all.map((row) => Object.values(row)))
  return {
    execute: run,
    executeUnprepared: run,
    executeRaw: ask,
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (sql, params, transform) =>
      Stream.unwrap(Effect.map(run(sql, params, transform), Stream.fromIterable))
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * The setting lasts until the transaction ends. Temporary tables are looked up last, because they could otherwise
 * replace the service's tables.
 */
const pinned = (schema: string): string => `SET LOCAL search_path TO ${quoted(schema)}, pg_temp`

const make = ({ pool, schema }: HostPoolConfig) =>
  Effect.gen(function* () {
    const { check, saw } = corruption()
    const asked =
      (session: HostPool.Queryable, met: (error: SqlError) => void): Ask =>
      (sql, params) =>
        Effect.tapError(asking(session)(sql, params), (error) =>
          Effect.sync(() => {
            saw(error)
            met(error)
          })
        )
    const begin = schema === undefined ? "BEGIN" : `BEGIN; ${pinned(schema)}`
    const acquirer = Effect.map(leased(pool), (lease) => toConnection(asked(lease, lease.meet)))
    const direct = toConnection(asked(pool, () => {}))
    const client = yield* SqlClient.make({
      acquirer,
      borrower: (use) =>
        schema === undefined ? use(direct) : Effect.scoped(Effect.flatMap(acquirer, alone(begin, use))),
      beginTransaction: begin,
      commit,
      compiler: PgClient.makeCompiler(),
      driver: "pg",
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      spanAttributes: [["db.system.name", "postgresql"]]
    })
    return Object.assign(client, { fault: check })
  })

export const layer = (config: HostPoolConfig): Layer.Layer<SqlClient.SqlClient> =>
  Layer.effectContext(
    Effect.map(make(config), (client) =>
      Context.make(SqlClient.SqlClient, client as SqlClient.SqlClient).pipe(Context.add(KnownFault, client.fault))
    )
  ).pipe(Layer.provide(Reactivity.layer))

interface Lent extends HostPool.Session {
  /** A session that lost its connection is not used again. */
  readonly meet: (error: SqlError) => void
}

/**
 * Borrows a session until the scope closes. The wait for a session can be interrupted: the session is released when it
 * arrives.
 */
const leased = (pool: HostPool.HostPool) =>
  Effect.acquireRelease(
    Effect.callback<Lent, SqlError>((resume) => {
      let isWanted = true
      HostPool.lease(pool).then(
        (session) => (isWanted ? resume(Effect.succeed(lent(session))) : session.release()),
        (cause) => resume(Effect.fail(toSqlError(cause, "connect")))
      )
      return Effect.sync(() => {
        isWanted = false
      })
    }),
    (session) => Effect.sync(() => session.release()),
    { interruptible: true }
  )

const lent = (session: HostPool.Session): Lent => {
  let isLost = false
  return {
    query: (text, values) => session.query(text, values),
    release: () => session.release(isLost),
    meet: (error) => {
      isLost ||= endsSession(error)
    }
  }
}

/** Runs a statement in a separate transaction, because only a transaction can set a schema. */
const alone =
  <A, E, R>(begin: string, use: (connection: Connection) => Effect.Effect<A, E, R>) =>
  (connection: Connection): Effect.Effect<A, E | SqlError, R> =>
    Effect.andThen(
      connection.executeRaw(begin, []),
      Effect.tap(
        Effect.onError(use(connection), () => Effect.ignore(connection.executeRaw("ROLLBACK", []))),
        () => commit(connection)
      )
    ).pipe(Effect.uninterruptible)

/** Postgres answers COMMIT with ROLLBACK if a statement of the transaction has failed. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []) as Effect.Effect<HostPool.Answer, SqlError>, ({ command }) => {
    const message = "The transaction was rolled back: a statement in it had failed"
    return command === "ROLLBACK"
      ? Effect.fail(
          new SqlError({ reason: new UnknownError({ cause: new Error(message), message, operation: "commit" }) })
        )
      : Effect.void
  })
