/**
 * The port that tells every node which keys or organizations changed, so that it drops its cache entries. If the
 * message is lost, other nodes see the change when their cache entries expire.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { markInProcessState } from "../shared/SharedState.ts"
import { afterCommit } from "../shared/Transaction.ts"

/** A prefix of the changed keys: one key's prefix, or `""` for all keys, for example when an organization changed. */
export type KeyPrefix = string

/** Cache lifetime of a key's permissions and its organization's suspension. */
export const cacheLifetime = "3 seconds"

export class AccessChanges extends Context.Service<
  AccessChanges,
  {
    /** Takes effect after the commit of the current transaction: on this node at once, on others soon. */
    readonly publish: (changed: KeyPrefix) => Effect.Effect<void>
    /**
     * Calls `forget` for each change until the scope closes. After a lost connection it reports a change of all keys.
     */
    readonly subscribe: (forget: (changed: KeyPrefix) => Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
    /** True while changes that other processes publish arrive here. Otherwise a lasting access must be checked often. */
    readonly hearsOthers: Effect.Effect<boolean>
  }
>()("@partner-commentary/core/access/AccessChanges") {
  /** Notifies subscribers within one process. */
  static readonly layerProcess = Layer.sync(AccessChanges, () => {
    const hearers = new Set<(changed: KeyPrefix) => Effect.Effect<void>>()
    return markInProcessState(
      AccessChanges.of({
        publish: (changed) =>
          afterCommit(Effect.suspend(() => Effect.forEach(hearers, (forget) => forget(changed), { discard: true }))),
        subscribe: (forget) =>
          Effect.asVoid(
            Effect.acquireRelease(
              Effect.sync(() => hearers.add(forget)),
              () => Effect.sync(() => hearers.delete(forget))
            )
          ),
        hearsOthers: Effect.succeed(false)
      })
    )
  })
}
