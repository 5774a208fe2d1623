/** The port that wakes workers when there is work. A lost signal delays work by one poll interval at most. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Environment } from "./Owner.ts"
import { afterCommit } from "./Transaction.ts"

/** The kinds of work that workers listen for. */
export type Work = "assignments" | "tests" | "mails" | "deliveries" | "recoveries" | "removals" | "media"

export const everything: ReadonlyArray<Work> = [
  "assignments",
  "tests",
  "mails",
  "deliveries",
  "recoveries",
  "removals",
  "media"
]

/** Live and test assignments have separate signals. */
export const dueIn = (environment: Environment): Work => (environment === "test" ? "tests" : "assignments")

export class WorkSignal extends Context.Service<
  WorkSignal,
  {
    /** Signals work of every kind to the workers. Within a transaction the signal takes effect after the commit. */
    readonly notify: Effect.Effect<void>
    /** Signals only work of these kinds. */
    readonly tell: (kinds: ReadonlyArray<Work>) => Effect.Effect<void>
    /**
     * Listens for one kind of work until the scope closes. The returned effect waits for the next signal or this long.
     * A signal since the last return counts too, so no signal is lost between a query and the wait.
     */
    readonly listen: (
      kind: Work
    ) => Effect.Effect<(longest: Duration.Duration) => Effect.Effect<void>, never, Scope.Scope>
  }
>()("@partner-commentary/core/shared/WorkSignal") {
  /** `layerProcess` signals within one process only. */
  static readonly layerProcess = Layer.sync(WorkSignal, () => {
    const listeners = new Map(everything.map((kind) => [kind, new Set<Queue.Queue<void>>()]))
    const tell = (kinds: ReadonlyArray<Work>) =>
      afterCommit(
        Effect.sync(() => {
          for (const kind of kinds) {
            for (const listener of listeners.get(kind) ?? []) Queue.offerUnsafe(listener, undefined)
          }
        })
      )
    return WorkSignal.of({
      notify: tell(everything),
      tell,
      listen: (kind) =>
        Effect.map(
          Effect.acquireRelease(
            Effect.tap(Queue.dropping<void>(1), (listener) => Effect.sync(() => listeners.get(kind)?.add(listener))),
            (listener) => Effect.sync(() => listeners.get(kind)?.delete(listener))
          ),
          (listener) => (longest) => Effect.asVoid(Effect.timeoutOption(Queue.take(listener), longest))
        )
    })
  })
}
