/** Waits in real time for the results of socket I/O while the test clock stands still. */
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

const pause = Effect.callback<void>((resume) => {
  setTimeout(() => resume(Effect.void), 5)
})

/** Retries until the result has a value. Fails the test after ten seconds. */
export const eventually = <A, E, R>(
  what: string,
  look: Effect.Effect<A | undefined | null | false, E, R>
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    for (let tries = 0; tries < 2000; tries++) {
      const found = yield* look
      if (found !== undefined && found !== null && found !== false) return found
      yield* pause
    }
    return yield* Effect.die(new Error(`never happened: ${what}`))
  })

/** Advances the test clock in small steps until the effect completes, for effects that wait for the clock. */
export const runWhileTimePasses = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(effect, Effect.forever(Effect.andThen(pause, TestClock.adjust("20 millis"))))
