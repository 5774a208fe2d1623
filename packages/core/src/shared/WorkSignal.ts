/** The port that wakes workers when there is something to do. Losing a signal costs a poll interval, nothing else. */
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Environment } from "./Owner.ts"
import { afterCommit } from "./Transaction.ts"

/** What somebody may be listening for. */
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

/** What falls due of assignments: who looks at the live ones is not woken by tests. */
export const dueIn = (environment: Environment): Work => (environment === "test" ? "tests" : "assignments")

export class WorkSignal extends Context.Service<
  WorkSignal,
  {
    /** There may be work of any kind. Takes effect when it can be seen: within a transaction, after its commit. */
    readonly notify: Effect.Effect<void>
    /** There is work of these kinds, and none of any other: who looks for others is left to sleep. */
    readonly tell: (kinds: ReadonlyArray<Work>) => Effect.Effect<void>
    /**
     * Listens for work of one kind, for as long as the scope is open. The answer waits for the next signal, or this long;
     * a signal given since it last returned counts, so none is missed between looking and waiting.
     */
    readonly listen: (
      kind: Work
    ) => Effect.Effect<(longest: Duration.Duration) => Effect.Effect<void>, never, Scope.Scope>
  }
>()("@partner-commentary/core/shared/WorkSignal") {
  /** Within one process. */
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
