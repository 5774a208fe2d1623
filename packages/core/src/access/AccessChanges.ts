/** The port that tells every node that keys or organizations changed, so that what it remembers of them is forgotten. Losing one costs as long as it is remembered, nothing else. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { afterCommit } from "../shared/Transaction.ts"

/** What the keys that changed begin with: a key's prefix, or `""` for any, as where an organization changed. */
export type Changed = string

/** So long is it remembered what a key may do, and whether an organization is suspended, where no change is heard of. */
export const memory = "3 seconds"

export class AccessChanges extends Context.Service<
  AccessChanges,
  {
    /** Takes effect when the change can be seen: within a transaction, after its commit. On this node at once, on others soon. */
    readonly tell: (changed: Changed) => Effect.Effect<void>
    /** As long as the scope is open. What may have been missed is told as a change of any. */
    readonly hear: (forget: (changed: Changed) => Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  }
>()("@partner-commentary/core/access/AccessChanges") {
  /** Within one process. */
  static readonly layerProcess = Layer.sync(AccessChanges, () => {
    const hearers = new Set<(changed: Changed) => Effect.Effect<void>>()
    return AccessChanges.of({
      tell: (changed) =>
        afterCommit(Effect.suspend(() => Effect.forEach(hearers, (forget) => forget(changed), { discard: true }))),
      hear: (forget) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => hearers.add(forget)),
            () => Effect.sync(() => hearers.delete(forget))
          )
        )
    })
  })
}
