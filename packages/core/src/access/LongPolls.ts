/**
 * Requests that wait for a change. A waiting request is a fiber that a signal resumes. While it waits, it holds no
 * database connection and runs no query.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Instant from "../shared/Instant.ts"
import { type Change, WorkSignal } from "../shared/WorkSignal.ts"
import { AccessChanges } from "./AccessChanges.ts"

export interface LongPoll<A, E, R> {
  readonly change: Change
  readonly longest: Duration.Duration
  /** The API key of the caller. A change of the key or its organization ends the wait. */
  readonly key: string
  /**
   * Reads the response if it is available. The read runs at the start, after each signal and at the end. It must fail
   * if the caller has lost its access.
   */
  readonly look: Effect.Effect<Option.Option<A>, E, R>
}

interface Waiting {
  readonly key: string
  readonly woken: Deferred.Deferred<void>
}

export class LongPolls extends Context.Service<
  LongPolls,
  {
    /**
     * Returns none at the timeout, or when the process stops. If a signal is lost, the read at the end finds the
     * change.
     */
    readonly wait: <A, E, R>(poll: LongPoll<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
    /** Ends the wait of every request, so that the process can stop without waiting for them. */
    readonly stop: Effect.Effect<void>
  }
>()("@partner-commentary/core/access/LongPolls") {
  static readonly layer = Layer.effect(
    LongPolls,
    Effect.gen(function* () {
      const signal = yield* WorkSignal
      const waiting = new Set<Waiting>()
      let stopped = false

      const wake = (which: (one: Waiting) => boolean) => {
        for (const one of waiting) if (which(one)) Deferred.doneUnsafe(one.woken, Effect.void)
      }
      const stop = Effect.sync(() => {
        stopped = true
        wake(() => true)
      })
      yield* Effect.addFinalizer(() => stop)
      yield* (yield* AccessChanges).subscribe((prefix) => Effect.sync(() => wake(({ key }) => key.startsWith(prefix))))

      const pause = (key: string, change: Effect.Effect<void>) =>
        Effect.suspend(() => {
          const one: Waiting = { key, woken: Deferred.makeUnsafe<void>() }
          waiting.add(one)
          return Effect.ensuring(
            Effect.raceFirst(change, Deferred.await(one.woken)),
            Effect.sync(() => waiting.delete(one))
          )
        })

      return LongPolls.of({
        wait: ({ change, key, longest, look }) =>
          Effect.scoped(
            Effect.gen(function* () {
              const changed = yield* signal.listen(change)
              const end = Instant.plus(yield* Instant.now, longest)
              for (;;) {
                const found = yield* look
                const left = Math.min(end - (yield* Instant.now), Duration.toMillis(longest))
                if (Option.isSome(found) || left <= 0 || stopped) return found
                yield* pause(key, changed(Duration.millis(left)))
              }
            })
          ),
        stop
      })
    })
  )
}
