/**
 * Detects faults of the database file that statements may not report: a moved file, a replaced file, or a corrupt page.
 */
import { statSync } from "node:fs"
import { DatabaseUnavailable } from "@partner-commentary/core/operations/DatabaseHealth"
import { type CorruptionMonitor, makeCorruptionMonitor } from "@partner-commentary/sql/database/DatabaseFault"
import * as Effect from "effect/Effect"

export type DatabaseFileMonitor = CorruptionMonitor

/** Watches the database file. Call this function directly after the file was opened. */
export const watchDatabaseFile = (filename: string): DatabaseFileMonitor => {
  const isFile = filename !== ":memory:" && filename !== ""
  const opened = isFile ? readFileIdentity(filename) : undefined
  const { check, saw } = makeCorruptionMonitor()
  // If the file is moved after it was opened, the process continues to commit to the moved file. A process that later
  // opens the configured path does not find the commits to a moved file.
  const present = Effect.suspend(() =>
    opened !== undefined && readFileIdentity(filename) !== opened
      ? new DatabaseUnavailable({ fault: "moved", detail: filename })
      : Effect.void
  )
  return { saw, check: Effect.andThen(check, present) }
}

/** Returns the device and inode number of the file, or undefined if the file does not exist. */
export const readFileIdentity = (filename: string): string | undefined => {
  const found = statSync(filename, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}
