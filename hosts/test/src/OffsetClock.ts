/**
 * The machine's clock plus an adjustable offset. Tests use this clock to simulate that an operator sets the machine's
 * clock. Time passes at its normal rate, and sleeps are not affected.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export class OffsetClock extends Context.Service<
  OffsetClock,
  {
    /** Moves the clock forward. A negative number moves the clock back. */
    readonly jump: (hours: number) => Effect.Effect<void>
  }
>()("@partner-commentary/test/OffsetClock") {
  /** Replaces the clock of all services and effects that use this layer. */
  static readonly layer: Layer.Layer<OffsetClock> = Layer.effectContext(
    Effect.map(Clock.Clock, (machine) => {
      let offset = 0
      const currentTimeMillisUnsafe = () => machine.currentTimeMillisUnsafe() + offset
      const currentTimeNanosUnsafe = () => machine.currentTimeNanosUnsafe() + BigInt(offset) * 1_000_000n
      const clock: Clock.Clock = {
        currentTimeMillisUnsafe,
        currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
        currentTimeNanosUnsafe,
        currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
        monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: machine.monotonicTimeNanos,
        sleep: (duration) => machine.sleep(duration)
      }
      const moved = OffsetClock.of({
        jump: (hours) =>
          Effect.sync(() => {
            offset += Math.round(hours * 3_600_000)
          })
      })
      return Context.make(OffsetClock, moved).pipe(Context.add(Clock.Clock, clock))
    })
  )
}
