/** Runs one attempt at a claimed job: calls an external system and records the outcome. */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Instant from "./Instant.ts"

/** The reason of a last attempt whose lease ended before the attempt had a result. */
export const lostAttemptReason = "the last attempt had no result: its process ended or hung"

/**
 * The effect never fails: failures and defects of the adapter become outcomes. An interruption releases the job
 * immediately. Without the release, the job would wait until its lease ends.
 */
export const runJobAttempt = <A, E, F, R>(
  call: Effect.Effect<A, E, R>,
  on: {
    readonly release: (now: Instant.Instant) => Effect.Effect<unknown>
    readonly defect: (reason: string) => F
  }
): Effect.Effect<Result.Result<A, E | F>, never, R> =>
  Effect.result(
    Effect.catchDefect(call, (defect) => Effect.fail(on.defect(String(defect)))).pipe(
      Effect.onInterrupt(() => Effect.flatMap(Instant.now, on.release))
    )
  )
