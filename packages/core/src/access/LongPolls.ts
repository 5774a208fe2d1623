/**
 * Pauses requests that wait for a change. A waiting request is a fiber that a signal resumes. A waiting request holds
 * no database connection and runs no query.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Instant from "../shared/Instant.ts"
import { type Change, WorkSignal } from "../shared/WorkSignal.ts"
import { AccessChanges } from "./AccessChanges.ts"

export interface Watched {
  readonly change: Change
  /** The API key of the caller. A change of the key or its organization ends the pause. */
  readonly key: string
}

export interface LongPoll<A, E, R> extends Watched {
  readonly longest: Duration.Duration
  /**
   * Reads the response if the response is available. The read runs at the start, after each signal and at the end. The
   * read must fail if the caller has lost access.
   */
  readonly look: Effect.Effect<Option.Option<A>, E, R>
}

/** The reason why a pause ended: a signaled change, a change of the key or its organization, or the timeout. */
export type Wake = "change" | "access" | "time"

export interface Watch {
  /** Pauses for at most this time. A signal since the last pause ends the new pause at once. */
  readonly pause: (longest: Duration.Duration) => Effect.Effect<Wake>
  /** True when the process stops. Every pause then ends at once. */
  readonly isStopped: () => boolean
  /** See `AccessChanges.hearsOthers`. */
  readonly hearsOthers: Effect.Effect<boolean>
}

interface Watcher {
  readonly key: string
  signaled: Deferred.Deferred<void>
}

export class LongPolls extends Context.Service<
  LongPolls,
  {
    /**
     * Returns the response, or none at the timeout or when the process stops. If a signal is lost, the read at the end
     * finds the change.
     */
    readonly wait: <A, E, R>(poll: LongPoll<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
    /** Collects signals until the scope closes. */
    readonly watch: (watched: Watched) => Effect.Effect<Watch, never, Scope.Scope>
    /** Ends the pauses of all requests, so that the process can stop without waiting for the timeouts. */
    readonly stop: Effect.Effect<void>
  }
>()("@partner-commentary/core/access/LongPolls") {
  static readonly layer = Layer.effect(
    LongPolls,
    Effect.gen(function* () {
      const signal = yield* WorkSignal
      const watchers = new Set<Watcher>()
      let stopped = false

      const wake = (which: (one: Watcher) => boolean) => {
        for (const one of watchers) if (which(one)) Deferred.doneUnsafe(one.signaled, Effect.void)
      }
      const stop = Effect.sync(() => {
        stopped = true
        wake(() => true)
      })
      yield* Effect.addFinalizer(() => stop)
      const { hearsOthers, subscribe } = yield* AccessChanges
      yield* subscribe((prefix) => Effect.sync(() => wake(({ key }) => key.startsWith(prefix))))

      const watch = Effect.fnUntraced(function* ({ change, key }: Watched) {
        const changed = yield* signal.listen(change)
        const one: Watcher = { key, signaled: Deferred.makeUnsafe<void>() }
        yield* Effect.acquireRelease(
          Effect.sync(() => watchers.add(one)),
          () => Effect.sync(() => watchers.delete(one))
        )
        const pause = (longest: Duration.Duration): Effect.Effect<Wake> =>
          Effect.raceFirst(
            Effect.map(changed(longest), (isSignaled) => (isSignaled ? "change" : "time")),
            // The yield lets the key caches process the change before the caller's next check.
            Effect.map(Effect.andThen(Deferred.await(one.signaled), Effect.yieldNow), () => {
              one.signaled = Deferred.makeUnsafe<void>()
              return "access" as const
            })
          )
        return { pause, isStopped: () => stopped, hearsOthers }
      })

      return LongPolls.of({
        wait: ({ longest, look, ...watched }) =>
          Effect.scoped(
            Effect.gen(function* () {
              const { isStopped, pause } = yield* watch(watched)
              const end = Instant.plus(yield* Instant.now, longest)
              for (;;) {
                const found = yield* look
                const left = Math.min(end - (yield* Instant.now), Duration.toMillis(longest))
                if (Option.isSome(found) || left <= 0 || isStopped()) return found
                yield* pause(Duration.millis(left))
              }
            })
          ),
        watch,
        stop
      })
    })
  )
}
