/**
 * The database is reachable, but no connection became free within the time limit. The caller can repeat the request
 * soon.
 */
import * as Cause from "effect/Cause"

/**
 * The error of a busy database. An adapter sets `DatabaseBusy` as the cause of its own error. Use cases treat an error
 * of the database adapter as a defect.
 */
export class DatabaseBusy extends Error {
  override name = "DatabaseBusy"
}

/** Returns whether a request failed because all database connections were in use. */
export const isDatabaseBusyFailure = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && isCausedByDatabaseBusy(reason.defect))

/** Returns whether an error or a nested cause of the error is a `DatabaseBusy`. */
export const isCausedByDatabaseBusy = (error: unknown, depth = 4): boolean => {
  if (error instanceof DatabaseBusy) return true
  if (typeof error !== "object" || error === null || depth === 0) return false
  const { cause, reason } = error as { readonly cause?: unknown; readonly reason?: unknown }
  return isCausedByDatabaseBusy(reason, depth - 1) || isCausedByDatabaseBusy(cause, depth - 1)
}
