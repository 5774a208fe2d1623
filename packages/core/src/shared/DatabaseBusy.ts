/** The database is reachable, but every connection was in use for too long. The caller may try again soon. */
import * as Cause from "effect/Cause"

/** Adapters set it as the cause of their error, which the use cases treat as a defect. */
export class DatabaseBusy extends Error {
  override name = "DatabaseBusy"
}

/** Returns whether a request failed because the database was busy. */
export const isBusy = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && isCausedByBusy(reason.defect))

/** Returns whether an error, or one of its causes, is a busy database. */
export const isCausedByBusy = (error: unknown, depth = 4): boolean => {
  if (error instanceof DatabaseBusy) return true
  if (typeof error !== "object" || error === null || depth === 0) return false
  const { cause, reason } = error as { readonly cause?: unknown; readonly reason?: unknown }
  return isCausedByBusy(reason, depth - 1) || isCausedByBusy(cause, depth - 1)
}
