/**
 * Runs use cases inside an open transaction of the host application. The outermost transaction of a use case becomes a
 * savepoint. A failure of the use case rolls back only its savepoint, and the host commits or rolls back everything
 * else.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { isSqlError, type SqlError } from "effect/sql/SqlError"

/** The host passed a value that is not an open transaction of this database. */
export class HostTransactionRefused extends Schema.TaggedError<HostTransactionRefused>()("HostTransactionRefused", {
  /** The end of the error message, which begins with the words "The host's transaction". */
  reason: Schema.String
}) {
  override get message() {
    return `The host's transaction ${this.reason}`
  }
}

/**
 * Converts the host's transaction to a connection of the client. The layer of each SQL client provides
 * `HostTransactionConnector`.
 */
export const HostTransactionConnector = Context.Reference<
  (db: unknown) => Effect.Effect<Connection, HostTransactionRefused>
>("@partner-commentary/reference/HostTransactionConnector", {
  defaultValue: () => () =>
    Effect.fail(new HostTransactionRefused({ reason: "is not supported by this database client" }))
})

/**
 * The connection of the host's transaction. On the host's connection, the outermost transaction of the client is a
 * savepoint.
 */
const HostConnection = Context.Reference<Connection | undefined>("@partner-commentary/reference/HostConnection", {
  defaultValue: () => undefined
})

/** Savepoints of one transaction must be nested, so the use cases in one host transaction run one after another. */
const turns = new WeakMap<object, Semaphore.Semaphore>()

const turnsOf = (connection: object): Semaphore.Semaphore => {
  const present = turns.get(connection)
  if (present !== undefined) return present
  const made = Semaphore.makeUnsafe(1)
  turns.set(connection, made)
  return made
}

/** Runs an effect inside the host's open transaction. A failure rolls back everything that the effect wrote. */
export const runInHostTransaction = (
  db: unknown
): (<A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | HostTransactionRefused, R | SqlClient.SqlClient>) => {
  const refused = new HostTransactionRefused({ reason: "has no open transaction" })
  return (effect) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const connection = yield* (yield* HostTransactionConnector)(db)
      const whole = turnsOf(Predicate.isObjectKeyword(db) ? db : connection).withPermits(1)(
        Effect.provideService(sql.withTransaction(effect), HostConnection, connection)
      )
      return yield* whole.pipe(
        Effect.catchIf(isSqlError, (error) => (hasNoTransaction(error) ? Effect.fail(refused) : Effect.die(error))),
        Effect.catchDefect((defect) =>
          isSqlError(defect) && isStaleSnapshotError(defect) ? Effect.fail(outdated) : Effect.die(defect)
        )
      )
    }) as never
}

/** Matches the Postgres SQLSTATE `no_active_sql_transaction`. */
const hasNoTransaction = (error: SqlError): boolean =>
  Predicate.hasProperty(error.reason.cause, "code") && error.reason.cause.code === "25P01"

const snapshotStale = 517

/**
 * Returns whether the error means that another connection wrote after the host's transaction had read. After the other
 * connection's write, SQLite rejects every write of the host's transaction with `SQLITE_BUSY_SNAPSHOT`, so a retry
 * cannot succeed.
 */
export const isStaleSnapshotError = ({ reason: { cause } }: SqlError): boolean =>
  Predicate.hasProperty(cause, "errcode") && cause.errcode === snapshotStale

const outdated = new HostTransactionRefused({
  reason: "has read before another connection wrote, and cannot write any more: begin it with BEGIN IMMEDIATE"
})

type WithTransaction = SqlClient.SqlClient["withTransaction"]

export interface HostSavepointOptions {
  readonly transactionService: SqlClient.SqlClient["transactionService"]
  readonly spanAttributes: ReadonlyArray<readonly [string, unknown]>
  readonly control: (connection: Connection, sql: string) => Effect.Effect<unknown, SqlError>
  /**
   * Prepares the host's transaction for the service's statements, and returns an effect that reverts the preparation. A
   * rollback to the savepoint also reverts the preparation of the host's transaction.
   */
  readonly enter?: (connection: Connection) => Effect.Effect<Effect.Effect<unknown, SqlError>, SqlError>
}

export interface PooledTransactionOptions extends HostSavepointOptions {
  readonly acquirer: Effect.Effect<Connection, SqlError, Scope.Scope>
  readonly begin: (connection: Connection) => Effect.Effect<unknown, SqlError>
  readonly commit: (connection: Connection) => Effect.Effect<unknown, SqlError>
}

const savepoint = "partner_commentary"

/** Controls the savepoints of transactions that are nested in the outermost transaction. */
const makeNestedSavepoints = (control: HostSavepointOptions["control"]) => {
  const run = (before: string) => (connection: Connection, id: number) =>
    Effect.asVoid(control(connection, `${before} effect_sql_${id}`))
  return {
    savepoint: run("SAVEPOINT"),
    releaseSavepoint: run("RELEASE SAVEPOINT"),
    rollbackSavepoint: run("ROLLBACK TO SAVEPOINT")
  }
}

/**
 * Implements `withTransaction` inside the host's transaction. The outermost transaction of a use case is a savepoint.
 */
const makeWithTransaction = ({
  control,
  enter,
  spanAttributes,
  transactionService
}: HostSavepointOptions): WithTransaction => {
  /** Stores, for each host connection in use, the effect that must run before the savepoint is released. */
  const entered = new WeakMap<Connection, Effect.Effect<unknown, SqlError>>()
  return SqlClient.makeWithTransaction({
    transactionService,
    spanAttributes,
    // `acquireConnection` runs only while a host connection exists.
    acquireConnection: () => HostConnection as Effect.Effect<Connection>,
    begin: Effect.fnUntraced(function* (connection) {
      yield* control(connection, `SAVEPOINT ${savepoint}`)
      if (enter !== undefined) entered.set(connection, yield* enter(connection))
    }),
    commit: (connection) =>
      Effect.asVoid(
        Effect.andThen(entered.get(connection) ?? Effect.void, control(connection, `RELEASE SAVEPOINT ${savepoint}`))
      ),
    rollback: (connection) =>
      Effect.asVoid(
        Effect.andThen(
          control(connection, `ROLLBACK TO SAVEPOINT ${savepoint}`),
          control(connection, `RELEASE SAVEPOINT ${savepoint}`)
        )
      ),
    ...makeNestedSavepoints(control)
  })
}

/** Uses a savepoint inside the host's transaction, and the client's own `withTransaction` otherwise. */
export const makeHostAwareWithTransaction = (joining: HostSavepointOptions, own: WithTransaction): WithTransaction => {
  const host = makeWithTransaction(joining)
  return (effect) =>
    Effect.withFiber(({ context }) => (Context.get(context, HostConnection) === undefined ? own(effect) : host(effect)))
}

/** Implements `withTransaction` for a client that takes its connections from a pool. */
export const makePooledWithTransaction = (options: PooledTransactionOptions): WithTransaction => {
  const { acquirer, begin, commit, control, spanAttributes, transactionService } = options
  return makeHostAwareWithTransaction(
    options,
    SqlClient.makeWithTransaction({
      transactionService,
      spanAttributes,
      acquireConnection: (restore) => restore(acquirer),
      begin: (connection) => Effect.asVoid(begin(connection)),
      commit: (connection) => Effect.asVoid(commit(connection)),
      rollback: (connection) => Effect.asVoid(control(connection, "ROLLBACK")),
      ...makeNestedSavepoints(control)
    })
  )
}
