/**
 * A clock that stands still until a test moves it. A sleep ends when this clock reaches the end of the sleep, or when
 * the duration of the sleep has passed in real time. A request that sleeps for a second while it waits for another
 * request completes, because sleeps also end in real time.
 */
import { clearImmediate, clearTimeout, setImmediate, setTimeout } from "node:timers"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"

interface Sleeper {
  readonly until: number
  readonly wake: () => void
}

export class VirtualClock extends Context.Service<
  VirtualClock,
  {
    readonly now: () => number
    /** Returns the time at which the next sleep ends. */
    readonly nextWaking: () => number
    /** Sets the time. The fibers whose sleep has ended run until they wait again. */
    readonly set: (millis: number) => Effect.Effect<void>
  }
>()("@partner-commentary/test/VirtualClock") {
  /**
   * Provides the VirtualClock and Effect's Clock. Timers are imported from Node, so a test's fake timers do not stop
   * them.
   */
  static readonly layer = (start: number) =>
    Layer.effectContext(
      Effect.sync(() => {
        let present = start
        const sleepers = new Set<Sleeper>()
        const millis = () => present
        const nanos = () => BigInt(Math.round(present)) * 1_000_000n
        const clock: Clock.Clock = {
          currentTimeMillisUnsafe: millis,
          currentTimeMillis: Effect.sync(millis),
          currentTimeNanosUnsafe: nanos,
          currentTimeNanos: Effect.sync(nanos),
          monotonicTimeNanosUnsafe: nanos,
          monotonicTimeNanos: Effect.sync(nanos),
          sleep: (duration) => sleep(sleepers, present, Duration.toMillis(duration))
        }
        const virtual = VirtualClock.of({
          now: millis,
          nextWaking: () => Math.min(...[...sleepers].map(({ until }) => until)),
          set: (next) =>
            Effect.suspend(() => {
              present = next
              const woken = [...sleepers].filter(({ until }) => until <= next).sort((a, b) => a.until - b.until)
              for (const { wake } of woken) wake()
              return woken.length === 0 ? Effect.void : macrotask
            })
        })
        return Context.make(Clock.Clock, clock).pipe(
          Context.add(VirtualClock, virtual),
          Context.add(Scheduler.Scheduler, nodeTimerScheduler)
        )
      })
    )
}

const sleep = (sleepers: Set<Sleeper>, now: number, millis: number): Effect.Effect<void> =>
  millis <= 0
    ? Effect.yieldNow
    : Effect.callback<void>((resume) => {
        const sleeper = { until: now + millis, wake: () => end() }
        const timer = setTimeout(() => end(), Math.min(millis, longestTimer))
        // A long sleep must not keep the process of a finished test alive.
        if (millis >= 1000) timer.unref()
        const leave = () => {
          clearTimeout(timer)
          sleepers.delete(sleeper)
        }
        const end = () => {
          leave()
          resume(Effect.void)
        }
        sleepers.add(sleeper)
        return Effect.sync(leave)
      })

const longestTimer = 2 ** 31 - 1

const immediate = (run: () => void) => {
  const timer = setImmediate(run)
  return () => {
    clearImmediate(timer)
  }
}

/** Schedules fibers with Node's own timers, which the fake timers of a test runner do not stop. */
export const nodeTimerScheduler = new Scheduler.MixedScheduler("async", immediate)

const macrotask = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})
