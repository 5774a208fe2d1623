/**
 * The port that combines changes of several stores in one transaction. A single store method needs no such transaction.
 * Inside a transaction, the store method joins that transaction.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"

export class Transaction extends Context.Service<
  Transaction,
  {
    /**
     * Commits all changes of the effect, or none if the effect fails. After a conflict with another transaction the
     * effect runs again, so its other side effects must be repeatable. The effect holds locks, so it must not wait for
     * other systems.
     */
    readonly run: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@partner-commentary/core/shared/Transaction") {}

/**
 * Delays an effect until the surrounding transaction has committed. Implementations of Transaction provide this
 * function.
 */
export const AfterCommit = Context.Reference<(effect: Effect.Effect<void>) => Effect.Effect<void>>(
  "@partner-commentary/reference/AfterCommit",
  { defaultValue: () => identity }
)

/**
 * Runs the effect at once, or after the commit of the outermost transaction. After a rollback, the delayed effect never
 * runs.
 */
export const afterCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => fiber.getRef(AfterCommit)(effect))
