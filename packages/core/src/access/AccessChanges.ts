/**
 * The port that tells every node which keys or organizations changed, so that each node drops the affected cache
 * entries. If a message is lost, the other nodes see the change when their cache entries expire.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { keptInProcess } from "../shared/SharedState.ts"
import { afterCommit } from "../shared/Transaction.ts"

/** The prefix of one changed key, or `""` for all keys. For example, a changed organization affects all keys. */
export type KeyPrefix = string

/** The cache lifetime of a key's permissions and of its organization's suspension. */
export const cacheLifetime = "3 seconds"

export class AccessChanges extends Context.Service<
  AccessChanges,
  {
    /**
     * Publishes the change after the commit of the current transaction. This node applies the change at once, and other
     * nodes soon afterwards.
     */
    readonly publish: (changed: KeyPrefix) => Effect.Effect<void>
    /**
     * Calls `forget` for each change until the scope closes. After a lost connection, the port calls `forget` for all
     * keys.
     */
    readonly subscribe: (forget: (changed: KeyPrefix) => Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
    /**
     * True while this process receives the changes of other processes. Otherwise, long-lived requests must check access
     * often.
     */
    readonly hearsOthers: Effect.Effect<boolean>
  }
>()("@partner-commentary/core/access/AccessChanges") {
  /** This layer notifies only subscribers in the same process. */
  static readonly layerProcess = Layer.sync(AccessChanges, () => {
    const hearers = new Set<(changed: KeyPrefix) => Effect.Effect<void>>()
    return keptInProcess(
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
