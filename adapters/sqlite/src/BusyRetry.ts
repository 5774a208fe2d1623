/**
 * Retries a statement while another process writes, because SQLite's own busy timeout would block the thread. As in
 * SQLite, only the delays between attempts count towards the timeout. The delays use real time even with a test clock,
 * because the other process uses real time. While a statement waits for its next attempt, the client runs other reads.
 */
import { isStaleSnapshotError } from "@partner-commentary/sql/database/HostTransaction"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { SqlError } from "effect/sql/SqlError"

const busy = 5
const longestDelay = 25
const realClock = Clock.Clock.defaultValue()

/**
 * Returns whether the statement failed because another connection holds the write lock, so that a retry can succeed.
 * SQLite reports a held lock with `SQLITE_BUSY` and variants of that code.
 */
export const isDatabaseBusy = (error: SqlError): boolean => {
  const { cause } = error.reason
  return (
    Predicate.hasProperty(cause, "errcode") &&
    Predicate.isNumber(cause.errcode) &&
    (cause.errcode & 0xff) === busy &&
    !isStaleSnapshotError(error)
  )
}

/**
 * Returns the milliseconds until the next attempt. Each delay is about twice as long as the previous delay, but at most
 * 25 ms, and all delays together never exceed the timeout.
 */
export const calculateBusyDelayMillis = (waited: number, timeout: number): number =>
  Math.min(waited + 1, longestDelay, timeout - waited)

export const pauseInRealTime = (milliseconds: number): Effect.Effect<void> =>
  Effect.provideService(Effect.sleep(milliseconds), Clock.Clock, realClock)

/** Retries the statement while the database is busy, until the timeout in milliseconds has passed. */
export const retryWhileBusy = <A>(
  attempt: Effect.Effect<A, SqlError>,
  timeout: number,
  waited = 0
): Effect.Effect<A, SqlError> =>
  Effect.catchIf(attempt, isDatabaseBusy, (error) => {
    if (waited >= timeout) return Effect.fail(error)
    const delay = calculateBusyDelayMillis(waited, timeout)
    return Effect.andThen(pauseInRealTime(delay), retryWhileBusy(attempt, timeout, waited + delay))
  })
