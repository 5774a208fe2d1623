/**
 * Flushes the write-ahead log in a thread of Node's pool. SQLite's own flush would stop all requests of the process until
 * the disk has finished.
 */
import { type FileHandle, open } from "node:fs/promises"
import { dirname } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { SqlError } from "effect/sql/SqlError"

export interface LogFlush {
  /** While true, a COMMIT of the connection is durable only after `flush`. Call this outside of transactions. */
  readonly defer: (deferred: boolean) => void
  /** Makes all earlier commits durable. */
  readonly flush: Effect.Effect<void, SqlError>
  readonly close: Effect.Effect<void>
}

/** SQLite itself flushes a database without a write-ahead log. One in memory needs no flush. */
const none: LogFlush = { defer: () => {}, flush: Effect.void, close: Effect.void }

/** Call this directly after the file was opened. */
export const make = (native: DatabaseSync, toSqlError: (cause: unknown) => SqlError): LogFlush => {
  if (native.prepare("PRAGMA journal_mode").get()?.["journal_mode"] !== "wal") return none
  let log: Promise<FileHandle> | undefined
  let isFlushed = true
  const flushLog = Effect.tryPromise(() => {
    log ??= openLog(`${native.location()}-wal`)
    return log.then((handle) => handle.datasync())
  })
  // The system may have dropped pages that it could not write. A checkpoint writes them to the database's file.
  const checkpoint = Effect.suspend(() => {
    const result = Result.try(() => native.prepare("PRAGMA wal_checkpoint(FULL)").get())
    if (Result.isFailure(result)) return Effect.fail(toSqlError(result.failure))
    isFlushed = result.success?.["busy"] === 0
    return isFlushed ? Effect.void : Effect.fail(toSqlError(new Error("another connection blocks the checkpoint")))
  })
  return {
    defer: (deferred) => {
      if (!native.isTransaction) native.exec(`PRAGMA synchronous = ${deferred ? "NORMAL" : "FULL"}`)
    },
    flush: Effect.suspend(() =>
      isFlushed
        ? Effect.catch(flushLog, () => {
            isFlushed = false
            return checkpoint
          })
        : checkpoint
    ),
    close: Effect.ignore(Effect.tryPromise(() => Promise.resolve(log).then((handle) => handle?.close())))
  }
}

/** As SQLite does after creating the log, this flushes the folder, and ignores systems that cannot flush folders. */
const openLog = (path: string): Promise<FileHandle> =>
  open(path, "r+").then((handle) =>
    open(dirname(path), "r")
      .then((folder) => folder.sync().finally(() => folder.close()))
      .then(
        () => handle,
        () => handle
      )
  )
