/**
 * Asks something that may not answer, and waits so long and no longer. What is given up is ended behind the asker's back:
 * a database that hangs takes its time for that, too.
 */
import type * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

export const within = <A, E, R>(
  patience: Duration.Input,
  asked: Effect.Effect<A, E, R>
): Effect.Effect<A, E | Cause.TimeoutError, R> =>
  Effect.flatMap(Effect.forkDetach(asked, { startImmediately: true }), (fiber) =>
    Effect.onError(Effect.timeout(Fiber.join(fiber), patience), () => Effect.sync(() => fiber.interruptUnsafe()))
  )
