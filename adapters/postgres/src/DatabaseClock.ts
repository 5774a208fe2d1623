/**
 * Effect's Clock where many machines share a database: all go by the database's time. Local monotonic time runs on by itself, with what
 * it lacks to the database's sampled now and then, so that a machine whose own clock is wrong or put back judges deadlines like the others.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

const interval = Duration.seconds(30)

/** A difference between this machine's clock and the database's beyond which somebody should know, in milliseconds. */
const worthTelling = 2000

/** What took longer says too little about when it was answered, in milliseconds. */
const slowest = 1000

/** So often it is asked before anything is built on it, while answers take too long. */
const firstAsked = 3

export interface DatabaseClock extends Clock.Clock {
  /** What the database's time was when local monotonic time was this; both in milliseconds. */
  readonly set: (databaseTime: number, monotonic: number) => void
}

/** Set to the machine's own time at first. Small corrections never take it back: it stands still until they are over. */
export const make = (local: Clock.Clock): DatabaseClock => {
  let offset = local.currentTimeMillisUnsafe() - monotonicMillis(local)
  let latest = Number.NEGATIVE_INFINITY
  const now = () => {
    const present = Math.floor(monotonicMillis(local) + offset)
    if (present < latest && latest - present < worthTelling) return latest
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

/** Sampled before anything is built on it, then every 30 seconds; while the database does not answer, it runs on. */
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
      if (row === undefined || after - before > slowest) return false
      const ahead = local.currentTimeMillisUnsafe() - (after - before) / 2 - row.at
      clock.set(row.at, (before + after) / 2)
      const isFar = Math.abs(ahead) > worthTelling
      if (isFar && !isTold)
        yield* Effect.annotateLogs(Effect.logWarning(skewed), { seconds_ahead: Math.round(ahead / 1000) })
      isTold = isFar
      return true
    })

    // The first one may have to connect.
    for (let asked = 0; asked < firstAsked && !(yield* sample); asked++) {}
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
