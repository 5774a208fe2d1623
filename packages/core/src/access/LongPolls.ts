/**
 * Holds long polls, which are requests that wait for a change. A waiting request is a fiber that a signal resumes. A
 * waiting request holds no database connection and runs no query.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Instant from "../shared/Instant.ts"
import { type ChangeSignal, WorkSignal } from "../shared/WorkSignal.ts"
import { AccessChanges } from "./AccessChanges.ts"

export interface ChangeWatchOptions {
  readonly change: ChangeSignal
  /** The API key of the caller. A change of the key or of its organization resumes the waiting request. */
  readonly key: string
}

export interface LongPollRequest<A, E, R> extends ChangeWatchOptions {
  readonly longest: Duration.Duration
  /**
   * Reads the response; none if the response is not available yet. A long poll reads when the request starts, after
   * each signal and at the timeout. The read of a long poll must fail if the caller has lost its access.
   */
  readonly look: Effect.Effect<Option.Option<A>, E, R>
}

/**
 * Why a pause ended. `change`: the watched change was signaled. `access`: the key or its organization changed. `time`:
 * the pause reached its maximum length.
 */
export type PauseEndReason = "change" | "access" | "time"

export interface ChangeWatch {
  /** Pauses for at most `longest`. If a signal arrived since the last pause, the new pause ends immediately. */
  readonly pause: (longest: Duration.Duration) => Effect.Effect<PauseEndReason>
  /** Returns true after `LongPolls.stop`, when the caller must end its response instead of pausing again. */
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
     * Waits for a change and returns the response; none at the timeout or when the process stops. If a signal is lost,
     * the read at the timeout finds the change.
     */
    readonly wait: <A, E, R>(poll: LongPollRequest<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
    /**
     * Listens for the change until the scope closes. The method `pause` of the returned `ChangeWatch` waits for the
     * change.
     */
    readonly watch: (watched: ChangeWatchOptions) => Effect.Effect<ChangeWatch, never, Scope.Scope>
    /** Ends the pause of every request, so that the process can stop without waiting for these requests. */
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

      const watch = Effect.fnUntraced(function* ({ change, key }: ChangeWatchOptions) {
        const changed = yield* signal.listen(change)
        const one: Watcher = { key, signaled: Deferred.makeUnsafe<void>() }
        yield* Effect.acquireRelease(
          Effect.sync(() => watchers.add(one)),
          () => Effect.sync(() => watchers.delete(one))
        )
        const pause = (longest: Duration.Duration): Effect.Effect<PauseEndReason> =>
          Effect.raceFirst(
            Effect.map(changed(longest), (isSignaled) => (isSignaled ? "change" : "time")),
            // Yield, so that the key cache removes the changed key before the request authenticates again.
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
