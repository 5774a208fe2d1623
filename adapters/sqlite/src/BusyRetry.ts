/**
 * Waiting for another process's write by asking again, so that this process goes on meanwhile: SQLite's own wait holds
 * the thread. As in SQLite, the delays alone count as waited. They pass in real time, whatever the caller's clock says:
 * the other process knows no other.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { SqlError } from "effect/sql/SqlError"

const busy = 5
const longestDelay = 25
const realClock = Clock.Clock.defaultValue()

/** Somebody else holds the lock, in one of its variants (`SQLITE_BUSY_*`). */
export const isBusy = ({ reason: { cause } }: SqlError): boolean =>
  typeof cause === "object" &&
  cause !== null &&
  "errcode" in cause &&
  typeof cause.errcode === "number" &&
  (cause.errcode & 0xff) === busy

/** Milliseconds until the next try: twice as long each time, at most 25, and no longer than patience lasts. */
export const nextDelay = (waited: number, patience: number): number =>
  Math.min(waited + 1, longestDelay, patience - waited)

export const pause = (milliseconds: number): Effect.Effect<void> =>
  Effect.provideService(Effect.sleep(milliseconds), Clock.Clock, realClock)

/** Repeats what found the database busy, until it has waited for so many milliseconds. */
export const outwait = <A>(
  attempt: Effect.Effect<A, SqlError>,
  patience: number,
  waited = 0
): Effect.Effect<A, SqlError> =>
  Effect.catchIf(attempt, isBusy, (error) => {
    if (waited >= patience) return Effect.fail(error)
    const delay = nextDelay(waited, patience)
    return Effect.andThen(pause(delay), outwait(attempt, patience, waited + delay))
  })
