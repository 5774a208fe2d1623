/**
 * Provides an Effect `SqlClient` that uses `node:sqlite`. The client has the same interface as Effect's own SQLite
 * client for Node, and replaces that client.
 *
 * The client uses one connection, a WAL journal, foreign keys, and a flush of every commit to the disk (`synchronous =
 * FULL`). Transactions take the write lock when they begin, and concurrent transactions share a commit (`GroupCommit`).
 * A statement outside of a transaction runs immediately, or waits until the open transaction has ended. While a
 * transaction is open, its code must not wait for anything except the database. While another process writes, writes
 * wait (`BusyRetry`) and reads continue. The SQLite client does not convert the values of rows.
 */
import { KnownDatabaseFaultCheck } from "@partner-commentary/sql/database/DatabaseFault"
import { DirectReads } from "@partner-commentary/sql/database/DirectReads"
import * as HostTransaction from "@partner-commentary/sql/database/HostTransaction"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as GroupCommit from "./GroupCommit.ts"
import * as HostDatabase from "./HostDatabase.ts"
import * as SqliteConnection from "./SqliteConnection.ts"

export interface SqliteClientConfig extends SqliteConnection.SqliteFileConfig {
  readonly spanAttributes?: Record<string, unknown> | undefined
  readonly transformResultNames?: ((name: string) => string) | undefined
  readonly transformQueryNames?: ((name: string) => string) | undefined
}

export interface SqliteClient extends SqlClient.SqlClient {
  readonly config: SqliteClientConfig
  /** Detects faults of the database file that statements may not report. */
  readonly fault: SqliteConnection.SqliteHandle["fault"]
  readonly readNow: SqliteConnection.SqliteHandle["readNow"]
  /** Returns the whole database as bytes. The result is none if the runtime cannot serialize the database. */
  readonly image: Effect.Effect<Option.Option<Uint8Array>, SqlError>
  /**
   * Replaces the whole database with serialized bytes. The database must be in memory, and no statement may have used
   * it yet.
   */
  readonly load: (image: Uint8Array) => Effect.Effect<void, SqlError>
  /**
   * Runs several statements in one call, outside of a transaction. Call `script` before any other statement uses the
   * database.
   */
  readonly script: (text: string) => Effect.Effect<void, SqlError>
}

export const SqliteClient = Context.Service<SqliteClient>("@partner-commentary/sqlite/SqliteClient")

export const make = (
  config: SqliteClientConfig
): Effect.Effect<SqliteClient, SqlError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const database = yield* SqliteConnection.openDatabase(config)
    const spanAttributes = [...Object.entries(config.spanAttributes ?? {}), ["db.system.name", "sqlite"] as const]
    const exclusive = SqliteConnection.connectToDatabase(
      database,
      () => true,
      (effect) => effect
    )
    const { acquirer, borrower, onCommitFailure } = SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(exclusive),
      semaphore: yield* Semaphore.make(1),
      isTransaction: database.isTransaction
    })
    const connect = (isOpen: () => boolean) =>
      SqliteConnection.connectToDatabase(
        database,
        () => isOpen() || !database.isTransaction(),
        (effect) => borrower(() => effect)
      )
    const plain = connect(() => false)
    const compiler = makeCompiler(config.transformQueryNames)
    const transformRows = config.transformResultNames && Statement.defaultTransforms(config.transformResultNames).array
    const client = yield* SqlClient.make({
      acquirer,
      borrower: (use) => use(plain),
      compiler,
      driver: "sqlite-node",
      spanAttributes,
      transformRows
    })
    const { transactionService } = client
    const withTransaction = HostTransaction.makeHostAwareWithTransaction(
      { transactionService, spanAttributes, control: ({ executeRaw }, sql) => executeRaw(sql, []) },
      GroupCommit.makeGroupedWithTransaction({
        database,
        begin: config.readonly === true ? "BEGIN" : "BEGIN IMMEDIATE",
        spanAttributes,
        transactionService,
        lease: acquirer,
        connect,
        onCommitFailure,
        awaitsQuietTurn: config.filename !== ":memory:"
      })
    )
    const { fault, image, load, readNow, script } = database
    return Object.assign(client, { withTransaction, config, fault, image, load, readNow, script })
  })

export const layer = (config: SqliteClientConfig): Layer.Layer<SqliteClient | SqlClient.SqlClient, SqlError> =>
  Layer.effectContext(Effect.map(make(config), toContext)).pipe(Layer.provide(Reactivity.layer))

/**
 * Extends Effect's compiler with a fast path for statements that contain only text and parameters. Most statements take
 * the fast path.
 */
const makeCompiler = (transformQueryNames: SqliteClientConfig["transformQueryNames"]): Statement.Compiler => {
  const withShortWay = (stock: Statement.Compiler): Statement.Compiler => ({
    dialect: stock.dialect,
    compile: (statement, withoutTransform) => compilePlain(statement) ?? stock.compile(statement, withoutTransform),
    get withoutTransform() {
      return withShortWay(stock.withoutTransform)
    }
  })
  return withShortWay(Statement.makeCompilerSqlite(transformQueryNames))
}

const compilePlain = (statement: Statement.Fragment): ReturnType<Statement.Compiler["compile"]> | undefined => {
  let text = ""
  const params: Array<unknown> = []
  for (const segment of statement.segments) {
    if (segment._tag === "Parameter") {
      text += "?"
      params.push(segment.value)
    } else if (segment._tag === "Literal") {
      text += segment.value
      if (segment.params !== undefined) params.push(...segment.params)
    } else return undefined
  }
  return [text, params]
}

const toContext = (client: SqliteClient) =>
  Context.make(SqliteClient, client).pipe(
    Context.add(SqlClient.SqlClient, client),
    Context.add(KnownDatabaseFaultCheck, client.fault),
    Context.add(DirectReads, client.readNow),
    Context.add(HostTransaction.HostTransactionConnector, HostDatabase.makeHostTransactionOpener(client.config))
  )
