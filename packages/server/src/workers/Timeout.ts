/**
 * Limits the duration of an effect. The caller continues at the timeout, even if the interruption takes longer, for
 * example while a database does not respond. After the timeout, the interruption of the effect continues in the
 * background.
 */
import type * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

export const withTimeout = <A, E, R>(
  timeout: Duration.Input,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Cause.TimeoutError, R> =>
  Effect.flatMap(Effect.forkDetach(work, { startImmediately: true }), (fiber) =>
    Effect.onError(Effect.timeout(Fiber.join(fiber), timeout), () => Effect.sync(() => fiber.interruptUnsafe()))
  )
