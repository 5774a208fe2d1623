/** The port that wakes workers when there is something to do. Losing a signal costs a poll interval, nothing else. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"

export class WorkSignal extends Context.Service<
  WorkSignal,
  {
    /** Called after the work's transaction has committed. */
    readonly notify: Effect.Effect<void>
    /** Returns at the next signal, or after this long. Signals given since the last return count. */
    readonly wait: (longest: Duration.Duration) => Effect.Effect<void>
  }
>()("@partner-commentary/core/shared/WorkSignal") {
  /** Within one process, for one waiting worker. */
  static readonly layerProcess = Layer.effect(
    WorkSignal,
    Effect.gen(function* () {
      const signals = yield* Queue.dropping<void>(1)
      return WorkSignal.of({
        notify: Effect.asVoid(Queue.offer(signals, undefined)),
        wait: (longest) => Effect.asVoid(Effect.timeoutOption(Queue.take(signals), longest))
      })
    })
  )
}
