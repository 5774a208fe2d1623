/**
 * Flushes commits to the disk in a thread of Node's pool. With `synchronous = FULL`, COMMIT flushes the write-ahead log
 * itself, and the event loop waits for the disk. With `synchronous = NORMAL`, COMMIT only writes to the log.
 */
import { closeSync, fdatasync, openSync } from "node:fs"
import type { DatabaseSync } from "node:sqlite"

export interface WalFlush {
  /** Lets the following commits skip the flush. The caller must flush them. No transaction may be open. */
  readonly defer: () => void
  /** Lets the following commits flush themselves. Within a transaction, `restore` does nothing. */
  readonly restore: () => void
  /** Flushes all commits so far. Calls `done` with the error of the disk, or with null. */
  readonly flush: (done: (error: Error | null) => void) => void
  readonly isFlushing: () => boolean
  /** Closes the log after the running flush. */
  readonly close: () => void
}

/** Returns undefined if the database has no write-ahead log. */
export const make = (native: DatabaseSync): WalFlush | undefined => {
  const { journal_mode: mode } = native.prepare("PRAGMA journal_mode").get() as { readonly journal_mode: string }
  if (mode !== "wal") return undefined
  let log: number | undefined
  let isDeferred = false
  let isFlushing = false
  let isClosed = false
  // SQLite runs this pragma when it compiles the statement, so a prepared statement would run the pragma only once.
  const setDeferred = (deferred: boolean) => {
    native.exec(`PRAGMA synchronous = ${deferred ? "NORMAL" : "FULL"}`)
    isDeferred = deferred
  }
  const close = () => {
    isClosed = true
    if (isFlushing || log === undefined) return
    closeSync(log)
    log = undefined
  }
  return {
    // The first commit flushes itself, because SQLite then also flushes the folder in which it has created the log.
    defer: () => {
      if (log !== undefined && !isDeferred) setDeferred(true)
    },
    restore: () => {
      if (isDeferred && !native.isTransaction) setDeferred(false)
    },
    flush: (done) => {
      if (!isDeferred) {
        log ??= openSync(`${native.location()}-wal`, "r+")
        return done(null)
      }
      isFlushing = true
      fdatasync(log as number, (error) => {
        isFlushing = false
        if (isClosed) close()
        done(error)
      })
    },
    isFlushing: () => isFlushing,
    close
  }
}
