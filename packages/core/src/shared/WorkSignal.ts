/** The port that wakes workers when there is something to do. Losing a signal costs a poll interval, nothing else. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { afterCommit } from "./Transaction.ts"

export class WorkSignal extends Context.Service<
  WorkSignal,
  {
    /** Takes effect when the work can be seen: within a transaction, after its commit. */
    readonly notify: Effect.Effect<void>
    /**
     * Listens for as long as the scope is open. The answer waits for the next signal, or this long;
     * a signal given since it last returned counts, so none is missed between looking and waiting.
     */
    readonly listen: Effect.Effect<(longest: Duration.Duration) => Effect.Effect<void>, never, Scope.Scope>
  }
>()("@partner-commentary/core/shared/WorkSignal") {
  /** Within one process. */
  static readonly layerProcess = Layer.sync(WorkSignal, () => {
    const listeners = new Set<Queue.Queue<void>>()
    return WorkSignal.of({
      notify: afterCommit(
        Effect.sync(() => {
          for (const listener of listeners) Queue.offerUnsafe(listener, undefined)
        })
      ),
      listen: Effect.map(
        Effect.acquireRelease(
          Effect.tap(Queue.dropping<void>(1), (listener) => Effect.sync(() => listeners.add(listener))),
          (listener) => Effect.sync(() => listeners.delete(listener))
        ),
        (listener) => (longest) => Effect.asVoid(Effect.timeoutOption(Queue.take(listener), longest))
      )
    })
  })
}
