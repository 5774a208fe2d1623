/** Runs the whole service on SQLite, and records the SQL statements that the driver executes. */
import { StatementSync } from "node:sqlite"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as InMemory from "@partner-commentary/test/InMemory"
import type { RoundTripStatements } from "@partner-commentary/test/postgres/PostgresProxy"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const realClock = Clock.Clock.defaultValue()

/**
 * A clock whose monotonic time stands still. A group of transactions has a maximum duration, so with a real clock a
 * slow machine could split a group.
 */
const clock: Clock.Clock = Object.assign(Object.create(realClock), {
  monotonicTimeNanosUnsafe: () => 0n,
  monotonicTimeNanos: Effect.succeed(0n)
})

/** The service runs without workers. */
export const layer = Layer.provideMerge(
  InMemory.layerWithoutWorkers({ stores: Layer.orDie(Sqlite.layer({ filename: ":memory:" })) }),
  Layer.succeed(Clock.Clock, clock)
)

type Call = (this: StatementSync, ...values: Array<unknown>) => unknown

/** The driver's methods that execute a statement. */
const methods = ["all", "get", "iterate", "run"] as const

/** Returns the statements that were executed during the effect. Each statement counts as one round trip. */
export const recordStatements = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const turns: Array<RoundTripStatements> = []
    const prototype = StatementSync.prototype as unknown as Record<(typeof methods)[number], Call>
    const originals = methods.map((name) => [name, prototype[name]] as const)
    for (const [name, original] of originals) {
      prototype[name] = function (...values) {
        turns.push([this.sourceSQL.replace(/\s+/g, " ").trim()])
        return original.apply(this, values)
      }
    }
    const restore = Effect.sync(() => {
      for (const [name, original] of originals) prototype[name] = original
    })
    return Effect.ensuring(
      Effect.map(effect, (answer) => ({ answer, turns })),
      restore
    )
  })
