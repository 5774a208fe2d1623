/** Runs one attempt at a claimed job: the call to an external system between the claim and the recorded outcome. */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import * as Instant from "./Instant.ts"

/**
 * Runs the attempt and never fails, because the outcome contains failures and defects of the adapter. An interruption
 * releases the job at once, so that the job need not wait for the end of its lease.
 */
export const runAttempt = <A, E, F, R>(
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
