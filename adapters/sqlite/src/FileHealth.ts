/** What is wrong with a database's file although statements may still succeed: it is not the one that was opened, or a page was found corrupt. */
import { statSync } from "node:fs"
import { DatabaseUnavailable } from "@partner-commentary/core/operations/DatabaseHealth"
import { type Corruption, corruption } from "@partner-commentary/sql/database/DatabaseFault"
import * as Effect from "effect/Effect"

export type FileFault = Corruption

/** Of a file that was just opened. */
export const watch = (filename: string): FileFault => {
  const isFile = filename !== ":memory:" && filename !== ""
  const opened = isFile ? identity(filename) : undefined
  const { check, saw } = corruption()
  // A process writes on to the file that it opened, wherever that is now: what it acknowledges is lost with its end.
  const present = Effect.suspend(() =>
    opened !== undefined && identity(filename) !== opened
      ? new DatabaseUnavailable({ fault: "moved", detail: filename })
      : Effect.void
  )
  return { saw, check: Effect.andThen(check, present) }
}

/** Undefined where there is none. */
const identity = (filename: string): string | undefined => {
  const found = statSync(filename, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}
