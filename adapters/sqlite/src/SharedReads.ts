/**
 * Lets all direct reads of one turn of the event loop share a read transaction. Without a shared transaction, SQLite
 * locks the file for each read. The three system calls of the lock take most of the time of a small read.
 */
import type { DatabaseSync } from "node:sqlite"
// `setImmediate` is imported from Node, because tests may replace the global function.
import { setImmediate } from "node:timers"

export interface SharedReads {
  readonly isOpen: () => boolean
  /**
   * Begins the read transaction of this turn if it has not begun. `begin` must not be called while another transaction
   * is open.
   */
  readonly begin: () => void
  /**
   * Ends the read transaction if it is open. Call `end` before each statement that must not run in the read
   * transaction: each write, and each read that is not a direct read.
   */
  readonly end: () => void
}

/** `run` runs a statement that controls a transaction. */
export const make = (native: DatabaseSync, run: (sql: string) => void): SharedReads => {
  let isOpen = false
  const end = () => {
    if (!isOpen) return
    isOpen = false
    // A failed read may have ended the transaction, and the connection may already be closed.
    if (native.isOpen && native.isTransaction) run("COMMIT")
  }
  return {
    isOpen: () => isOpen,
    begin: () => {
      if (isOpen) return
      run("BEGIN")
      isOpen = true
      setImmediate(end)
    },
    end
  }
}
