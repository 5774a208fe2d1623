/**
 * Opens one SQLite file with `node:sqlite`, and provides Effect connections to the file.
 *
 * `openDatabase` opens a file. `connectToDatabase` makes an Effect connection whose statements run immediately or wait
 * for their turn. `SqliteClient` and `GroupCommit` decide when a statement may run.
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import type { DirectRead } from "@partner-commentary/sql/database/DirectReads"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { SafeIntegers } from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as BusyRetry from "./BusyRetry.ts"
import * as FileHealth from "./FileHealth.ts"
import * as SharedReads from "./SharedReads.ts"

export interface SqliteFileConfig {
  /**
   * The path of the database file, or `:memory:`. The client creates the folder of the file if the folder is missing.
   */
  readonly filename: string
  readonly readonly?: boolean | undefined
  /** The maximum number of prepared statements in the cache, with a default of 256. */
  readonly prepareCacheSize?: number | undefined
  readonly disableWAL?: boolean | undefined
  /**
   * The maximum time that a statement waits for a write of another process, with a default of 5 seconds. The wait for
   * another process blocks the thread only while the client opens the file.
   */
  readonly busyTimeout?: Duration.Input | undefined
  /**
   * True if all direct reads of one turn of the event loop share a snapshot of the file, so that the reads are faster.
   * Set this option only if this process changes the file through no other connection.
   */
  readonly sharesReads?: boolean | undefined
}

type Rows = "rows" | "values" | "raw"

export interface SqliteHandle {
  readonly native: DatabaseSync
  /** The maximum time that a statement waits for a busy database, in milliseconds. */
  readonly timeout: number
  /** Detects faults of the database file that statements may not report. */
  readonly fault: FileHealth.DatabaseFileMonitor["check"]
  readonly isTransaction: () => boolean
  /** Runs the statement synchronously, and returns an effect that contains the result. */
  readonly run: (
    fiber: Fiber.Fiber<unknown, unknown>,
    sql: string,
    params: ReadonlyArray<unknown>,
    rows: Rows,
    prepared: boolean
    // biome-ignore lint/suspicious/noExplicitAny: the rows of a `Connection` are untyped
  ) => Effect.Effect<any, SqlError>
  /**
   * Runs a read synchronously while no transaction is open. The function returns undefined while a transaction is open,
   * or if the statement fails.
   */
  readonly readNow: DirectRead
  /** Runs a statement that controls a transaction, such as COMMIT. */
  readonly control: (sql: string) => Effect.Effect<void, SqlError>
  /** Returns the whole database as bytes. The result is none if the runtime cannot serialize the database. */
  readonly image: Effect.Effect<Option.Option<Uint8Array>, SqlError>
  /** Replaces the whole database with serialized bytes. */
  readonly load: (image: Uint8Array) => Effect.Effect<void, SqlError>
  /** Runs several statements, one after another. */
  readonly script: (text: string) => Effect.Effect<void, SqlError>
}

export const openDatabase = (config: SqliteFileConfig): Effect.Effect<SqliteHandle, SqlError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.try({
        try: () => openNative(config),
        catch: (cause) => toSqlError(cause, "open", formatOpenError(config.filename, cause))
      }),
      (native) => Effect.sync(() => native.close())
    ),
    (native) => makeSqliteHandle(native, config)
  )

const timeoutOf = (config: SqliteFileConfig): number =>
  Math.min(Duration.toMillis(config.busyTimeout ?? "5 seconds"), 2 ** 31 - 1)

const openNative = (config: SqliteFileConfig): DatabaseSync => {
  const readOnly = config.readonly ?? false
  if (!readOnly && config.filename !== ":memory:") mkdirSync(dirname(config.filename), { recursive: true })
  const native = new DatabaseSync(config.filename, {
    readOnly,
    timeout: timeoutOf(config),
    enableForeignKeyConstraints: true
  })
  if (!readOnly && config.disableWAL !== true) native.exec("PRAGMA journal_mode = WAL")
  native.exec("PRAGMA synchronous = FULL")
  // Data of erased creators must not stay in free space of the file, which backups copy.
  native.exec("PRAGMA secure_delete = ON")
  // With `temp_store = MEMORY`, SQLite does not write the undo data of each savepoint to a file.
  native.exec("PRAGMA temp_store = MEMORY")
  // After the file is open, `BusyRetry` replaces SQLite's own timeout for a busy database.
  native.exec("PRAGMA busy_timeout = 0")
  return native
}

/** Makes a database from an open connection. Call this function directly after the file was opened. */
export const makeSqliteHandle = (native: DatabaseSync, config: SqliteFileConfig): SqliteHandle => {
  const timeout = timeoutOf(config)
  const cacheSize = config.prepareCacheSize ?? 256
  const fault = FileHealth.watchDatabaseFile(config.filename)
  const settle = <A>(run: () => A): Effect.Effect<A, SqlError> => {
    reads.end()
    const result = Result.try({
      try: run,
      catch: (cause) => toSqlError(cause, "execute", "Failed to execute statement")
    })
    if (Result.isSuccess(result)) return Effect.succeed(result.success)
    fault.saw(result.failure)
    return Effect.fail(result.failure)
  }
  const cache = new Map<string, Prepared>()
  const lookup = (sql: string): Prepared => {
    const cached = cache.get(sql)
    if (cached !== undefined) return cached
    const prepared = prepare(native, sql)
    if (cache.size >= cacheSize) cache.delete(cache.keys().next().value as string)
    cache.set(sql, prepared)
    return prepared
  }
  const control = (sql: string) => void lookup(sql).statement.run()
  const reads = SharedReads.make(native, control)
  const isTransaction = () => !reads.isOpen() && native.isOpen && native.isTransaction
  return {
    native,
    timeout,
    fault: fault.check,
    isTransaction,
    run: (fiber, sql, params, rows, prepared) =>
      settle(() => execute(prepared ? lookup(sql) : prepare(native, sql), params, rows, fiber.getRef(SafeIntegers))),
    readNow: <Row>(sql: string, params: ReadonlyArray<unknown>) => {
      if (!native.isOpen || isTransaction()) return undefined
      return Result.getOrUndefined(
        Result.try(() => {
          if (config.sharesReads === true) reads.begin()
          return execute(lookup(sql), params, "rows", false) as Array<Row>
        })
      )
    },
    control: (sql) => Effect.suspend(() => settle(() => control(sql))),
    // Node 22 has neither `serialize` nor `deserialize`.
    image: Effect.suspend(() =>
      "serialize" in native ? settle(() => Option.some(native.serialize())) : Effect.succeed(Option.none())
    ),
    load: (image) => Effect.suspend(() => settle(() => native.deserialize(image))),
    script: (text) => Effect.suspend(() => settle(() => native.exec(text)))
  }
}

interface Prepared {
  readonly statement: StatementSync
  /**
   * The names of the columns that the statement returns. A statement that returns no rows has an empty list of columns.
   */
  readonly columns: ReadonlyArray<string>
  /**
   * False if the statement may select `*`. A migration, even in another process, can change the columns that `*`
   * selects.
   */
  readonly namesColumns: boolean
  bigInts: boolean
  arrays: boolean
}

const prepare = (native: DatabaseSync, sql: string): Prepared => {
  const statement = native.prepare(sql)
  // The settings for big integers and arrays are reset for each statement, because the host may have opened the
  // database with other defaults.
  statement.setReadBigInts(false)
  statement.setReturnArrays(false)
  const columns = statement.columns().map(({ name }) => name)
  return { statement, columns, namesColumns: !/\*(?!\))/.test(sql), bigInts: false, arrays: false }
}

const execute = (prepared: Prepared, params: ReadonlyArray<unknown>, rows: Rows, bigInts: boolean): unknown => {
  const { columns, namesColumns, statement } = prepared
  const arrays = rows === "values" || namesColumns
  if (prepared.bigInts !== bigInts) {
    statement.setReadBigInts(bigInts)
    prepared.bigInts = bigInts
  }
  if (prepared.arrays !== arrays) {
    statement.setReturnArrays(arrays)
    prepared.arrays = arrays
  }
  const values = params.map(toInput)
  if (columns.length === 0) {
    const changes = statement.run(...values)
    return rows === "raw" ? changes : []
  }
  const found = statement.all(...values)
  return rows === "values" || !namesColumns ? found : toObjects(columns, found as unknown as Lists)
}

type Lists = ReadonlyArray<ReadonlyArray<unknown>>

/**
 * Converts rows from lists to objects. The created objects share one hidden class in V8, while the objects of
 * `node:sqlite` have different hidden classes and are slower to read.
 */
const toObjects = (columns: ReadonlyArray<string>, rows: Lists) =>
  rows.map((values) => {
    const row: Record<string, unknown> = {}
    for (let index = 0; index < columns.length; index++) row[columns[index] as string] = values[index]
    return row
  })

/** Converts a value for a statement, because `node:sqlite` can bind only null, numbers, text and bytes. */
const toInput = (value: unknown): SQLInputValue => {
  if (value === undefined) return null
  if (typeof value === "boolean") return value ? 1 : 0
  // biome-ignore lint/style/noRestrictedGlobals: the official Effect driver also binds dates
  return value instanceof Date ? value.toISOString() : (value as SQLInputValue)
}

const primaryKeyViolation = 1555
const uniqueViolation = 2067

/**
 * Converts an SQLite error to a SqlError. SQLite has different codes for conflicts of a primary key and of a unique
 * index. Conflicts of a primary key and of a unique index get the same error, as with Postgres.
 */
const toSqlError = (cause: unknown, operation: "open" | "execute", message: string): SqlError => {
  const code = typeof cause === "object" && cause !== null && "errcode" in cause ? cause.errcode : undefined
  const classified =
    typeof code === "number"
      ? Object.assign(cause as object, { errno: code === primaryKeyViolation ? uniqueViolation : code })
      : cause
  return new SqlError({ reason: classifySqliteError(classified, { message, operation }) })
}

/** The error message contains the path of the database file, so that the operator can fix the problem. */
const formatOpenError = (filename: string, cause: unknown): string =>
  `Failed to open database ${filename}: ${cause instanceof Error ? cause.message : String(cause)}`

/**
 * Returns a connection whose statements run immediately while `mayRun` returns true, and otherwise run through `wait`.
 * The call of `mayRun` and the statement are one synchronous step, so no other fiber can begin a transaction between
 * them. While a statement waits for a busy database, other statements can use the connection.
 */
export const connectToDatabase = (
  database: SqliteHandle,
  mayRun: () => boolean,
  wait: <A>(effect: Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>
): Connection => {
  const run = (sql: string, params: ReadonlyArray<unknown>, rows: Rows, prepared: boolean) =>
    BusyRetry.retryWhileBusy(
      Effect.withFiber((fiber) =>
        mayRun()
          ? database.run(fiber, sql, params, rows, prepared)
          : wait(Effect.suspend(() => database.run(fiber, sql, params, rows, prepared)))
      ),
      database.timeout
    )
  const transformed = (effect: ReturnType<typeof run>, transform: Parameters<Connection["execute"]>[2]) =>
    transform === undefined ? effect : Effect.map(effect, transform)
  return {
    execute: (sql, params, transform) => transformed(run(sql, params, "rows", true), transform),
    executeUnprepared: (sql, params, transform) => transformed(run(sql, params, "rows", false), transform),
    executeRaw: (sql, params) => run(sql, params, "raw", true),
    executeValues: (sql, params) => run(sql, params, "values", true),
    executeValuesUnprepared: (sql, params) => run(sql, params, "values", false),
    executeStream: (sql, params, transform) =>
      Stream.unwrap(Effect.map(transformed(run(sql, params, "rows", true), transform), Stream.fromIterable))
  }
}
