/**
 * Runs use cases inside a transaction that the host application has open. Their outermost transaction is then a savepoint there:
 * what fails is undone alone, and everything else is committed or rolled back by the host.
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

/** What was given as the host's transaction is none, or none of this database. */
export class HostTransactionRefused extends Schema.TaggedError<HostTransactionRefused>()("HostTransactionRefused", {
  /** Reads on after the option's name. */
  reason: Schema.String
}) {
  override get message() {
    return `The host's transaction ${this.reason}`
  }
}

/** How a client sees the host's transaction as a connection. The client sets it beside itself. */
export const HostTransactions = Context.Reference<(db: unknown) => Effect.Effect<Connection, HostTransactionRefused>>(
  "@partner-commentary/sql/HostTransaction/HostTransactions",
  {
    defaultValue: () => () =>
      Effect.fail(new HostTransactionRefused({ reason: "is not supported by this database client" }))
  }
)

/** The connection of the host's transaction, on which this client's outermost transaction is a savepoint. */
const HostConnection = Context.Reference<Connection | undefined>(
  "@partner-commentary/sql/HostTransaction/HostConnection",
  {
    defaultValue: () => undefined
  }
)

/** Savepoints of one transaction must nest, so calls on it run one after the other. */
const turns = new WeakMap<object, Semaphore.Semaphore>()

const turnsOf = (connection: object): Semaphore.Semaphore => {
  const present = turns.get(connection)
  if (present !== undefined) return present
  const made = Semaphore.makeUnsafe(1)
  turns.set(connection, made)
  return made
}

/** Runs an effect inside the host's open transaction: all of it or nothing. */
export const within = (
  db: unknown
): (<A, E, R>(
  effect: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | HostTransactionRefused, R | SqlClient.SqlClient>) => {
  const refused = new HostTransactionRefused({ reason: "has no open transaction" })
  return (effect) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const connection = yield* (yield* HostTransactions)(db)
      const whole = turnsOf(Predicate.isObjectKeyword(db) ? db : connection).withPermits(1)(
        Effect.provideService(sql.withTransaction(effect), HostConnection, connection)
      )
      return yield* Effect.catchIf(whole, isSqlError, (error) =>
        hasNoTransaction(error) ? Effect.fail(refused) : Effect.die(error)
      )
    }) as never
}

/** `no_active_sql_transaction` of Postgres. */
const hasNoTransaction = (error: SqlError): boolean =>
  Predicate.hasProperty(error.reason.cause, "code") && error.reason.cause.code === "25P01"

export interface Options {
  readonly transactionService: SqlClient.SqlClient["transactionService"]
  readonly spanAttributes: ReadonlyArray<readonly [string, unknown]>
  readonly acquirer: Effect.Effect<Connection, SqlError, Scope.Scope>
  readonly control: (connection: Connection, sql: string) => Effect.Effect<unknown, SqlError>
  readonly begin: (connection: Connection) => Effect.Effect<unknown, SqlError>
  readonly commit: (connection: Connection) => Effect.Effect<unknown, SqlError>
  /** Prepares the host's transaction for our statements, and returns what undoes that. A rollback to the savepoint does too. */
  readonly enter?: (connection: Connection) => Effect.Effect<Effect.Effect<unknown, SqlError>, SqlError>
}

const savepoint = "partner_commentary"

/** `withTransaction` of a client whose outermost transaction may be a savepoint of the host's. */
export const withTransaction = ({
  acquirer,
  begin,
  commit,
  control,
  enter = () => Effect.succeed(Effect.void),
  spanAttributes,
  transactionService
}: Options): SqlClient.SqlClient["withTransaction"] => {
  /** Of each host's connection in use, what to run before its savepoint ends. */
  const entered = new WeakMap<Connection, Effect.Effect<unknown, SqlError>>()
  const undo = (connection: Connection, name: string) =>
    Effect.andThen(
      control(connection, `ROLLBACK TO SAVEPOINT ${name}`),
      control(connection, `RELEASE SAVEPOINT ${name}`)
    )
  const start = Effect.fnUntraced(function* (connection: Connection) {
    yield* control(connection, `SAVEPOINT ${savepoint}`)
    entered.set(connection, yield* enter(connection))
  })
  const nested = (id: number) => `effect_sql_${id}`
  return SqlClient.makeWithTransaction({
    transactionService,
    spanAttributes,
    acquireConnection: (restore) =>
      Effect.flatMap(HostConnection, (host) => {
        if (host === undefined) return restore(acquirer)
        entered.set(host, Effect.void)
        return Effect.succeed(host)
      }),
    begin: (connection) => Effect.asVoid(entered.has(connection) ? start(connection) : begin(connection)),
    commit: (connection) => {
      const leave = entered.get(connection)
      if (leave === undefined) return Effect.asVoid(commit(connection))
      return Effect.asVoid(Effect.andThen(leave, control(connection, `RELEASE SAVEPOINT ${savepoint}`)))
    },
    rollback: (connection) =>
      Effect.asVoid(entered.has(connection) ? undo(connection, savepoint) : control(connection, "ROLLBACK")),
    savepoint: (connection, id) => Effect.asVoid(control(connection, `SAVEPOINT ${nested(id)}`)),
    releaseSavepoint: (connection, id) => Effect.asVoid(control(connection, `RELEASE SAVEPOINT ${nested(id)}`)),
    rollbackSavepoint: (connection, id) => Effect.asVoid(control(connection, `ROLLBACK TO SAVEPOINT ${nested(id)}`))
  })
}
