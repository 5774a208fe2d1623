/**
 * Effect's `SqlClient` on the pool of a host application. The host decides about type parsers, timeouts and the size of
 * the pool. With a schema, each statement outside a transaction gets its own transaction (`SearchPath`).
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { KnownFault, makeCorruptionMonitor } from "@partner-commentary/sql/database/DatabaseFault"
import * as HostTransaction from "@partner-commentary/sql/database/HostTransaction"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { type Ask, asking, toConnection } from "./HostConnection.ts"
import * as HostPool from "./HostPool.ts"
import * as HostSession from "./HostSession.ts"
import * as SearchPath from "./SearchPath.ts"
import { endsSession, toSqlError } from "./ServerError.ts"

export interface HostPoolConfig {
  readonly pool: HostPool.HostPool
  /** The schema that contains the tables. Without it, the search path of the host's sessions applies. */
  readonly schema?: string | undefined
}

const spanAttributes = [["db.system.name", "postgresql"]] as const

const make = ({ pool, schema }: HostPoolConfig) =>
  Effect.gen(function* () {
    const { check, saw } = makeCorruptionMonitor()
    const asked =
      (session: HostPool.Queryable, met: (error: SqlError) => void): Ask =>
      (sql, params) =>
        Effect.tapError(asking(session)(sql, params), (error) =>
          Effect.sync(() => {
            saw(error)
            met(error)
          })
        )
    const control = (connection: Connection, sql: string) => connection.executeRaw(sql, [])
    const start = schema === undefined ? "BEGIN" : `BEGIN; ${SearchPath.pinned(schema)}`
    const begin = (connection: Connection) => control(connection, start)
    const acquirer = Effect.map(leased(pool), (lease) => toConnection(asked(lease, lease.meet)))
    const direct = toConnection(asked(pool, () => {}))
    const client = yield* SqlClient.make({
      acquirer,
      borrower: (use) =>
        schema === undefined
          ? use(direct)
          : Effect.scoped(Effect.flatMap(acquirer, SearchPath.alone({ begin, commit }, use))),
      compiler: PgClient.makeCompiler(),
      driver: "pg",
      spanAttributes
    })
    const withTransaction = HostTransaction.withTransaction({
      transactionService: client.transactionService,
      spanAttributes,
      acquirer,
      begin,
      commit,
      control,
      ...(schema === undefined ? {} : { enter: SearchPath.enter(schema) })
    })
    return Object.assign(client, { withTransaction, fault: check })
  })

export const layer = (config: HostPoolConfig): Layer.Layer<SqlClient.SqlClient> =>
  Layer.effectContext(
    Effect.map(make(config), (client) =>
      Context.make(SqlClient.SqlClient, client as SqlClient.SqlClient).pipe(
        Context.add(KnownFault, client.fault),
        Context.add(HostTransaction.HostTransactions, HostSession.open)
      )
    )
  ).pipe(Layer.provide(Reactivity.layer))

interface Lent extends HostPool.Session {
  /** A session that lost its connection is not reused. */
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

/**
 * While a session is borrowed, the borrower must listen to its `error` event. An `error` event without a listener ends
 * the process.
 */
const lent = (session: HostPool.Session): Lent => {
  let isLost = false
  const lose = () => {
    isLost = true
  }
  const emitter = isEmitter(session) ? session : undefined
  emitter?.on("error", lose)
  return {
    query: (text, values) => session.query(text, values),
    release: () => {
      emitter?.removeListener("error", lose)
      session.release(isLost)
    },
    meet: (error) => {
      isLost ||= endsSession(error)
    }
  }
}

interface Emitter {
  readonly on: (event: "error", listener: () => void) => unknown
  readonly removeListener: (event: "error", listener: () => void) => unknown
}

const isEmitter = (session: HostPool.Session): session is HostPool.Session & Emitter =>
  "on" in session && "removeListener" in session

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
