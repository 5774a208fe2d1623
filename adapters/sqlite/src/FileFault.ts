/** What is wrong with a database's file although statements may still succeed: it is not the one that was opened, or a page was found corrupt. */
import { statSync } from "node:fs"
import { DatabaseUnavailable } from "@partner-commentary/core/operations/DatabaseHealth"
import { faultOf } from "@partner-commentary/sql/database/DatabaseFault"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

export interface FileFault {
  /** Remembers an error of corruption: other statements do not read the same page. */
  readonly saw: (error: SqlError) => void
  readonly check: Effect.Effect<void, DatabaseUnavailable>
}

/** Of a file that was just opened. */
export const watch = (filename: string): FileFault => {
  const isFile = filename !== ":memory:" && filename !== ""
  const opened = isFile ? identity(filename) : undefined
  let corruption: string | undefined
  return {
    saw: (error) => {
      if (faultOf(error) === "corrupt") corruption ??= error.message
    },
    check: Effect.suspend(() => {
      if (corruption !== undefined) return new DatabaseUnavailable({ fault: "corrupt", detail: corruption })
      // A process writes on to the file that it opened, wherever that is now: what it acknowledges is lost with its end.
      return opened !== undefined && identity(filename) !== opened
        ? new DatabaseUnavailable({ fault: "moved", detail: filename })
        : Effect.void
    })
  }
}

/** Undefined where there is none. */
const identity = (filename: string): string | undefined => {
  const found = statSync(filename, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}
