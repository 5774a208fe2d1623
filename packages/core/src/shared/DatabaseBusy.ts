/** The database is reachable, but no connection became free in time. The caller may retry soon. */
import * as Cause from "effect/Cause"

/** Database adapters use this error as the cause of their own error. The use cases treat that error as a defect. */
export class DatabaseBusy extends Error {
  override name = "DatabaseBusy"
}

/** Returns whether a request failed because all database connections were in use. */
export const isBusy = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => Cause.isDieReason(reason) && isCausedByBusy(reason.defect))

/** Returns whether an error or one of its causes is a DatabaseBusy error. */
export const isCausedByBusy = (error: unknown, depth = 4): boolean => {
  if (error instanceof DatabaseBusy) return true
  if (typeof error !== "object" || error === null || depth === 0) return false
  const { cause, reason } = error as { readonly cause?: unknown; readonly reason?: unknown }
  return isCausedByBusy(reason, depth - 1) || isCausedByBusy(cause, depth - 1)
}
