/**
 * The port that tells every node which keys or organizations changed. A node that is told about changed keys removes
 * their cache entries. If the message about a change is lost, other nodes see the change when their cache entries
 * expire.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { markInProcessState } from "../shared/SharedState.ts"
import { runAfterCommit } from "../shared/Transaction.ts"

/** A change contains the prefix of one key. `""` stands for all keys, for example when an organization changed. */
export type ApiKeyPrefix = string

/** The time for which a node caches a key, including its permissions and its organization's suspension. */
export const apiKeyCacheLifetime = "3 seconds"

export class AccessChanges extends Context.Service<
  AccessChanges,
  {
    /**
     * `publish` sends the change after the current transaction commits. This node then removes its cache entries
     * immediately. Other nodes remove their cache entries when the message arrives.
     */
    readonly publish: (changed: ApiKeyPrefix) => Effect.Effect<void>
    /**
     * Calls `forget` for each change until the scope closes. After a lost connection, `subscribe` reports a change of
     * all keys.
     */
    readonly subscribe: (
      forget: (changed: ApiKeyPrefix) => Effect.Effect<void>
    ) => Effect.Effect<void, never, Scope.Scope>
    /**
     * True while this process receives the changes that other processes publish. While `hearsOthers` is false, a
     * long-lived response must often check that its API key is still valid.
     */
    readonly hearsOthers: Effect.Effect<boolean>
  }
>()("@partner-commentary/core/access/AccessChanges") {
  /** `layerProcess` notifies subscribers in this process only. */
  static readonly layerProcess = Layer.sync(AccessChanges, () => {
    const hearers = new Set<(changed: ApiKeyPrefix) => Effect.Effect<void>>()
    return markInProcessState(
      AccessChanges.of({
        publish: (changed) =>
          runAfterCommit(Effect.suspend(() => Effect.forEach(hearers, (forget) => forget(changed), { discard: true }))),
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
