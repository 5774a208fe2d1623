/**
 * Lets all direct reads of one turn of the event loop share a read transaction. SQLite otherwise locks the file for each
 * read, with three system calls, which take most of the time of a small read.
 */
import type { DatabaseSync } from "node:sqlite"
// `setImmediate` is imported from Node, because tests may replace the global function.
import { setImmediate } from "node:timers"

export interface SharedReads {
  readonly isOpen: () => boolean
  /** Begins the read transaction of this turn if it has not begun. No other transaction may be open. */
  readonly begin: () => void
  /** Ends the read transaction if it is open. Each statement other than a direct read must call `end` first. */
  readonly end: () => void
}

export const make = (native: DatabaseSync): SharedReads => {
  const begin = native.prepare("BEGIN")
  const commit = native.prepare("COMMIT")
  let isOpen = false
  const end = () => {
    if (!isOpen) return
    isOpen = false
    // An error of a read may have ended the transaction, and the connection may have been closed.
    if (native.isOpen && native.isTransaction) commit.run()
  }
  return {
    isOpen: () => isOpen,
    begin: () => {
      if (isOpen) return
      begin.run()
      isOpen = true
      setImmediate(end)
    },
    end
  }
}

/** Each read locks the file itself, and sees all changes that were committed before. */
export const none: SharedReads = { isOpen: () => false, begin: () => {}, end: () => {} }
