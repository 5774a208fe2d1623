/**
 * Provides an Effect `SqlClient` with a pool of `@effect/sql-pg` connections. The client returns values in the same
 * form as SQLite (`Values`).
 *
 * The client opens connections on demand, and replaces broken connections. Timeouts use real time even with a test
 * clock, because the server uses real time. Statements, idle transactions, connection attempts and waits for a free
 * connection (`SessionPool`) have timeouts.
 */

import type * as PgConnection from "@effect/sql-pg/PgConnection"
import type { DatabaseUnavailable } from "@partner-commentary/core/operations/DatabaseHealth"
import { makeCorruptionMonitor } from "@partner-commentary/sql/database/DatabaseFault"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as PooledClient from "./PooledClient.ts"
import * as PostgresUrl from "./PostgresUrl.ts"
import * as SearchPath from "./SearchPath.ts"
import * as SessionPool from "./SessionPool.ts"
import * as StalePlans from "./StalePlans.ts"
import { makePgTypeRegistry, toPostgresParameter } from "./Values.ts"

export interface PostgresClientConfig {
  readonly url: Redacted.Redacted
  /** The maximum number of connections, with a default of 10. */
  readonly poolSize?: number | undefined
  /**
   * True if the URL leads to a pooler in transaction mode. Behind a pooler in transaction mode, the client prepares no
   * statements and changes no settings of a connection.
   */
  readonly isPooled?: boolean | undefined
  /** The schema that contains the tables. By default, the client uses the search path of the role. */
  readonly schema?: string | undefined
  readonly applicationName?: string | undefined
  /**
   * The timeout for opening a connection. If `connectTimeout` is undefined, the client uses the URL's
   * `connect_timeout`, or 5 seconds.
   */
  readonly connectTimeout?: Duration.Input | undefined
  /** The timeout for a statement, with a default of 30 seconds. A timeout of zero disables the limit. */
  readonly statementTimeout?: Duration.Input | undefined
  /** The timeout for an idle transaction, with a default of 30 seconds. A timeout of zero disables the limit. */
  readonly idleInTransactionTimeout?: Duration.Input | undefined
  /** The maximum time that a statement waits for a free connection, with a default of 10 seconds. */
  readonly acquireTimeout?: Duration.Input | undefined
  /** The time after which an unused connection closes, with a default of one minute. */
  readonly idleTimeout?: Duration.Input | undefined
}

export interface PostgresClient extends SqlClient.SqlClient {
  readonly config: PostgresClientConfig
  /** Fails if a statement of this process recently found corrupt data. */
  readonly fault: Effect.Effect<void, DatabaseUnavailable>
  /** Returns the number of connections in use plus the number of callers that wait for a connection. */
  readonly inUse: () => number
  /** Opens a connection until the scope closes. No other caller reuses the reserved connection. */
  readonly reserveSession: Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope>
}

export const PostgresClient = Context.Service<PostgresClient>("@partner-commentary/postgres/PostgresClient")

const usual = {
  poolSize: 10,
  statementTimeout: "30 seconds",
  idleInTransactionTimeout: "30 seconds",
  acquireTimeout: "10 seconds",
  idleTimeout: "1 minute",
  keepAlive: "30 seconds"
} as const

export const make = (
  config: PostgresClientConfig
): Effect.Effect<PostgresClient, SqlError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const options = yield* poolOptions(config)
    const answered = answeredWithin(Duration.fromInputUnsafe(config.statementTimeout ?? usual.statementTimeout))
    const sessions = yield* SessionPool.make(options, config.acquireTimeout ?? usual.acquireTimeout, answered)
    const plans = StalePlans.make()
    const { check, saw } = makeCorruptionMonitor()
    const judge = (session: PgConnection.PgConnection, error: SqlError) => {
      saw(error)
      return sessions.judge(session, error)
    }
    const connectionOf = (session: PgConnection.PgConnection) =>
      toConnection(session, plans, answered, (error) => judge(session, error))
    const { schema } = config
    const pin =
      schema === undefined || config.isPooled !== true ? undefined : SearchPath.makeSetSearchPathStatement(schema)
    const begin: PooledClient.PooledClientOptions["begin"] = (connection) => {
      const begun = connection.execute("BEGIN", [], undefined)
      return pin === undefined ? begun : Effect.andThen(begun, connection.execute(pin, [], undefined))
    }
    const client = yield* PooledClient.make({
      acquirer: Effect.map(sessions.acquire, connectionOf),
      borrower: (use) =>
        sessions.borrow((session) =>
          pin === undefined
            ? use(connectionOf(session))
            : (SearchPath.runInOwnTransaction(
                { begin, commit: PooledClient.commitTransaction },
                use
              )(connectionOf(session)) as ReturnType<typeof use>)
        ),
      begin,
      schema,
      fault: check
    })
    return Object.assign(client, { config, inUse: sessions.inUse, reserveSession: sessions.reserve })
  })

export const layer = (config: PostgresClientConfig): Layer.Layer<PostgresClient | SqlClient.SqlClient, SqlError> =>
  Layer.effectContext(
    Effect.map(make(config), (client) => Context.add(PooledClient.makeSqlClientContext(client), PostgresClient, client))
  ).pipe(Layer.provide(Reactivity.layer))

const poolOptions = (config: PostgresClientConfig) => {
  const address = PostgresUrl.parsePostgresUrl(config.url)
  const isPooled = config.isPooled ?? false
  const bound = (name: string, given: Duration.Input | undefined, fallback: Duration.Input) => ({
    [name]: String(Math.ceil(Duration.toMillis(given ?? fallback)))
  })
  return Effect.map(Effect.mapError(Effect.fromResult(address), refusedAddress), ({ ssl, url }) => ({
    url,
    ...(ssl === undefined ? {} : { ssl }),
    ...(config.connectTimeout === undefined ? {} : { connectTimeout: config.connectTimeout }),
    applicationName: config.applicationName ?? "partner-commentary",
    startupParameters: isPooled
      ? {}
      : {
          ...(config.schema === undefined ? {} : { search_path: SearchPath.makeSearchPath(config.schema) }),
          ...bound("statement_timeout", config.statementTimeout, usual.statementTimeout),
          ...bound(
            "idle_in_transaction_session_timeout",
            config.idleInTransactionTimeout,
            usual.idleInTransactionTimeout
          )
        },
    prepare: !isPooled,
    preparedStatementCacheSize: 256,
    keepAlive: usual.keepAlive,
    maxConnections: config.poolSize ?? usual.poolSize,
    idleTimeout: config.idleTimeout ?? usual.idleTimeout,
    types: makePgTypeRegistry()
  }))
}

const refusedAddress = ({ reason }: PostgresUrl.PostgresUrlRefused) =>
  SessionPool.makeConnectionError(`The database's address ${reason}`, "connect")

type Answered = <A>(asked: Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>

/**
 * Fails a statement whose response does not arrive. The server's own statement timeout does not cover a response that
 * is lost in the network. The timeout uses a timer and one fiber, because a race of two fibers would add 5% to the
 * processor time of a statement.
 */
const answeredWithin = (bound: Duration.Duration): Answered => {
  if (Duration.isZero(bound)) return (asked) => asked
  const longest = Duration.sum(bound, grace)
  const milliseconds = Math.min(Duration.toMillis(longest), longestTimer)
  const silent = Effect.fail(
    SessionPool.makeConnectionError(`No answer came within ${Duration.format(longest)}`, "execute")
  )
  return (asked) =>
    Effect.withFiber(({ context }: { readonly context: Context.Context<never> }) =>
      Effect.callback((resume) => {
        const asking = Effect.runForkWith(context)(asked)
        const end = Fiber.interrupt(asking)
        const timer = setTimeout(() => resume(Effect.andThen(end, silent)), milliseconds)
        asking.addObserver((exit) => {
          clearTimeout(timer)
          resume(exit)
        })
        return end
      })
    )
}

const grace = Duration.seconds(5)

/**
 * The longest delay of a Node timer, in milliseconds. Node fires a timer immediately if its delay exceeds 2^31 - 1
 * milliseconds.
 */
const longestTimer = 2 ** 31 - 1

const toConnection = (
  session: PgConnection.PgConnection,
  plans: StalePlans.StalePlans,
  within: Answered,
  judge: (error: SqlError) => Effect.Effect<void>
): Connection => {
  const answered: Answered = (asked) => Effect.tapError(within(asked), judge)
  const run = (sql: string, params: ReadonlyArray<unknown>, prepared: boolean) => {
    const values = params.map(toPostgresParameter)
    const asked = prepared
      ? plans.renewing(sql, (text) => session.query(text, values))
      : session.query(sql, values, false)
    return Effect.map(answered(asked), ({ rows }) => rows)
  }
  const transformed = (rows: ReturnType<typeof run>, transform: Parameters<Connection["execute"]>[2]) =>
    transform === undefined ? rows : Effect.map(rows, transform)
  return {
    execute: (sql, params, transform) => transformed(run(sql, params, true), transform),
    executeUnprepared: (sql, params, transform) => transformed(run(sql, params, false), transform),
    executeRaw: (sql, params) => answered(session.query(sql, params.map(toPostgresParameter))),
    executeValues: (sql, params) => answered(session.queryValues(sql, params.map(toPostgresParameter))),
    executeValuesUnprepared: (sql, params) =>
      answered(session.queryValues(sql, params.map(toPostgresParameter), false)),
    executeStream: (sql, params, transform) => {
      const rows = Stream.tapError(session.stream(sql, params.map(toPostgresParameter)), judge)
      return transform === undefined ? rows : Stream.mapArray(rows, (some) => transform(some) as unknown as typeof some)
    }
  }
}
