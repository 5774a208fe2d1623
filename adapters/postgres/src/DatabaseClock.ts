/**
 * Provides a clock with the time of the database, so that all machines with a common database use the same time. The
 * clock's time is the local monotonic time plus a regularly measured offset. With the database's time, a machine with a
 * wrong clock applies deadlines at the same moment as all other machines.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

const interval = Duration.seconds(30)

/**
 * The difference between the machine's clock and the database's clock, in milliseconds, above which the process logs a
 * warning.
 */
const warnAbove = 2000

/**
 * The maximum round trip of a sample, in milliseconds. A sample of the database's time with a longer round trip is too
 * inaccurate.
 */
const maxRoundTrip = 1000

/**
 * The maximum number of samples at the start. The clock takes another sample only if the round trip of the previous
 * sample was too long.
 */
const startSamples = 3

export interface DatabaseClock extends Clock.Clock {
  /**
   * Corrects the clock: at the local monotonic time `monotonic`, the database's time was `databaseTime`. `databaseTime`
   * and `monotonic` are in milliseconds.
   */
  readonly set: (databaseTime: number, monotonic: number) => void
}

/**
 * Makes a clock that shows the machine's time until the first correction. The clock does not go back for a correction
 * of less than two seconds, but stands still until the corrected time catches up.
 */
export const make = (local: Clock.Clock): DatabaseClock => {
  let offset = local.currentTimeMillisUnsafe() - monotonicMillis(local)
  let latest = Number.NEGATIVE_INFINITY
  const now = () => {
    const present = Math.floor(monotonicMillis(local) + offset)
    if (present < latest && latest - present < warnAbove) return latest
    latest = present
    return present
  }
  const nanos = () => BigInt(now()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => local.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: local.monotonicTimeNanos,
    sleep: (duration) => local.sleep(duration),
    set: (databaseTime, monotonic) => {
      offset = databaseTime - monotonic
    }
  }
}

const monotonicMillis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/**
 * Measures the offset of the database's clock at the start, and then every 30 seconds. While the database does not
 * respond, the clock keeps the last measured offset.
 */
export const layer = Layer.effect(
  Clock.Clock,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const local = yield* Clock.Clock
    const clock = make(local)
    let isTold = false

    const sample = Effect.gen(function* () {
      const before = monotonicMillis(local)
      const [row] = yield* sql<{
        readonly at: number
      }>`SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS FLOAT8) AS at`
      const after = monotonicMillis(local)
      if (row === undefined || after - before > maxRoundTrip) return false
      const ahead = local.currentTimeMillisUnsafe() - (after - before) / 2 - row.at
      clock.set(row.at, (before + after) / 2)
      const isFar = Math.abs(ahead) > warnAbove
      if (isFar && !isTold)
        yield* Effect.annotateLogs(Effect.logWarning(skewed), { seconds_ahead: Math.round(ahead / 1000) })
      isTold = isFar
      return true
    })

    // The round trip of the first sample may include the time to open a connection.
    for (let asked = 0; asked < startSamples && !(yield* sample); asked++) {}
    yield* Effect.forkScoped(
      Effect.provideService(
        Effect.forever(
          Effect.andThen(
            Effect.sleep(interval),
            Effect.ignoreCause(sample, { log: "Debug", message: "The database's time could not be read" })
          )
        ),
        Clock.Clock,
        local
      )
    )
    return clock
  })
)

const skewed =
  "This machine's clock is not the database's, by which everything goes here: set it right, its logs and others' differ"
