/**
 * The port that combines changes of several stores into one transaction. A single store method needs no transaction
 * around it. Inside one, it joins the existing transaction.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"

export class Transaction extends Context.Service<
  Transaction,
  {
    /**
     * Commits all changes of the effect, or none if it fails. After a conflict with another transaction the effect runs
     * again, so its other side effects must be repeatable. The effect must not wait for other systems, because it holds
     * locks.
     */
    readonly run: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@partner-commentary/core/shared/Transaction") {}

/** Defers an effect until the surrounding transaction has committed. Transaction implementations provide it. */
export const AfterCommit = Context.Reference<(effect: Effect.Effect<void>) => Effect.Effect<void>>(
  "@partner-commentary/reference/AfterCommit",
  { defaultValue: () => identity }
)

/**
 * Runs the effect at once, or after the commit of the outermost transaction. After a rollback the deferred effect never
 * runs.
 */
export const afterCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => fiber.getRef(AfterCommit)(effect))
