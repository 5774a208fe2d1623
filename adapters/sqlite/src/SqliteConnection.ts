/**
 * One SQLite file, opened through `node:sqlite`, as Effect's SQL connections.
 *
 * `open` gives the database; `connect` gives a connection that asks, at the moment a statement runs, whether it may run
 * now, and otherwise waits. Who may run when is left to `SqliteClient` and `GroupCommit`.
 */
import { mkdirSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
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
import * as BusyWait from "./BusyWait.ts"
import * as FileFault from "./FileFault.ts"

export interface DatabaseConfig {
  /** A path, whose folder is created when it is missing, or `:memory:`. */
  readonly filename: string
  readonly readonly?: boolean | undefined
  /** How many prepared statements are kept, 256 unless told. */
  readonly prepareCacheSize?: number | undefined
  readonly disableWAL?: boolean | undefined
  /** How long a statement waits for another process's write. 5 seconds unless told. Opening the file blocks meanwhile. */
  readonly busyTimeout?: Duration.Input | undefined
}

type Rows = "rows" | "values" | "raw"

export interface Database {
  readonly native: DatabaseSync
  /** Milliseconds that whoever finds the database busy waits for it. */
  readonly patience: number
  /** What is wrong with the file although statements may succeed. */
  readonly fault: FileFault.FileFault["check"]
  readonly isTransaction: () => boolean
  /** Runs at once; what it answers is already settled. */
  readonly run: (
    fiber: Fiber.Fiber<unknown, unknown>,
    sql: string,
    params: ReadonlyArray<unknown>,
    rows: Rows,
    prepared: boolean
    // biome-ignore lint/suspicious/noExplicitAny: the rows of a `Connection` are untyped
  ) => Effect.Effect<any, SqlError>
  /** A transaction control statement. */
  readonly control: (sql: string) => Effect.Effect<void, SqlError>
  /** The whole database as one image; none where the runtime cannot make one. */
  readonly image: Effect.Effect<Option.Option<Uint8Array>, SqlError>
  /** Puts an image in the place of the whole database. */
  readonly load: (image: Uint8Array) => Effect.Effect<void, SqlError>
  /** Several statements, one after the other. */
  readonly script: (text: string) => Effect.Effect<void, SqlError>
}

export const open = (config: DatabaseConfig): Effect.Effect<Database, SqlError, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.try({
        try: () => openNative(config),
        catch: (cause) => toSqlError(cause, "open", unopened(config.filename, cause))
      }),
      (native) => Effect.sync(() => native.close())
    ),
    (native) =>
      makeDatabase(native, patienceOf(config), config.prepareCacheSize ?? 256, FileFault.watch(config.filename))
  )

const patienceOf = (config: DatabaseConfig): number =>
  Math.min(Duration.toMillis(config.busyTimeout ?? "5 seconds"), 2 ** 31 - 1)

const openNative = (config: DatabaseConfig): DatabaseSync => {
  const readOnly = config.readonly ?? false
  if (!readOnly && config.filename !== ":memory:") mkdirSync(dirname(config.filename), { recursive: true })
  const native = new DatabaseSync(config.filename, {
    readOnly,
    timeout: patienceOf(config),
    enableForeignKeyConstraints: true
  })
  if (!readOnly && config.disableWAL !== true) native.exec("PRAGMA journal_mode = WAL")
  native.exec("PRAGMA synchronous = FULL")
  // Else each savepoint's undo, a copy of every page that it touches, is written to a file.
  native.exec("PRAGMA temp_store = MEMORY")
  // From here on `BusyWait` waits.
  native.exec("PRAGMA busy_timeout = 0")
  return native
}

const makeDatabase = (
  native: DatabaseSync,
  patience: number,
  cacheSize: number,
  fault: FileFault.FileFault
): Database => {
  const settle = <A>(run: () => A): Effect.Effect<A, SqlError> => {
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
  return {
    native,
    patience,
    fault: fault.check,
    isTransaction: () => native.isOpen && native.isTransaction,
    run: (fiber, sql, params, rows, prepared) =>
      settle(() => execute(prepared ? lookup(sql) : prepare(native, sql), params, rows, fiber.getRef(SafeIntegers))),
    control: (sql) => Effect.suspend(() => settle(() => void lookup(sql).statement.run())),
    // Node 22 has neither.
    image: Effect.suspend(() =>
      "serialize" in native ? settle(() => Option.some(native.serialize())) : Effect.succeed(Option.none())
    ),
    load: (image) => Effect.suspend(() => settle(() => native.deserialize(image))),
    script: (text) => Effect.suspend(() => settle(() => native.exec(text)))
  }
}

interface Prepared {
  readonly statement: StatementSync
  readonly reads: boolean
  bigInts: boolean
  arrays: boolean
}

const prepare = (native: DatabaseSync, sql: string): Prepared => {
  const statement = native.prepare(sql)
  return { statement, reads: statement.columns().length > 0, bigInts: false, arrays: false }
}

const execute = (prepared: Prepared, params: ReadonlyArray<unknown>, rows: Rows, bigInts: boolean): unknown => {
  const { statement } = prepared
  if (prepared.bigInts !== bigInts) {
    statement.setReadBigInts(bigInts)
    prepared.bigInts = bigInts
  }
  if (prepared.arrays !== (rows === "values")) {
    statement.setReturnArrays(rows === "values")
    prepared.arrays = rows === "values"
  }
  const values = params.map(toInput)
  if (prepared.reads) return statement.all(...values)
  const changes = statement.run(...values)
  return rows === "raw" ? changes : []
}

/** `node:sqlite` binds null, numbers, text and bytes alone. */
const toInput = (value: unknown): SQLInputValue => {
  if (value === undefined) return null
  if (typeof value === "boolean") return value ? 1 : 0
  // biome-ignore lint/style/noRestrictedGlobals: the official driver binds dates too
  return value instanceof Date ? value.toISOString() : (value as SQLInputValue)
}

const primaryKeyViolation = 1555
const uniqueViolation = 2067

/** SQLite tells a primary key's conflict from a unique index's; Postgres and the stores do not. */
const toSqlError = (cause: unknown, operation: "open" | "execute", message: string): SqlError => {
  const code = typeof cause === "object" && cause !== null && "errcode" in cause ? cause.errcode : undefined
  const classified =
    typeof code === "number"
      ? Object.assign(cause as object, { errno: code === primaryKeyViolation ? uniqueViolation : code })
      : cause
  return new SqlError({ reason: classifySqliteError(classified, { message, operation }) })
}

/** The path is the operator's own, and what they need to mend it. */
const unopened = (filename: string, cause: unknown): string =>
  `Failed to open database ${filename}: ${cause instanceof Error ? cause.message : String(cause)}`

/**
 * A connection whose statements run at once while `mayRun` holds, and wait for the connection by `wait` otherwise. The
 * question and the statement are one step: no other fiber can begin a transaction between them. A statement that finds
 * the database busy lets the connection go and asks again.
 */
export const connect = (
  database: Database,
  mayRun: () => boolean,
  wait: <A>(effect: Effect.Effect<A, SqlError>) => Effect.Effect<A, SqlError>
): Connection => {
  const run = (sql: string, params: ReadonlyArray<unknown>, rows: Rows, prepared: boolean) =>
    BusyWait.outwait(
      Effect.withFiber((fiber) =>
        mayRun()
          ? database.run(fiber, sql, params, rows, prepared)
          : wait(Effect.suspend(() => database.run(fiber, sql, params, rows, prepared)))
      ),
      database.patience
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
