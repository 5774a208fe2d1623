/**
 * The port that combines changes of several stores into one transaction. A single store method is already atomic. A
 * store method that runs inside a transaction joins this transaction.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"

export class Transaction extends Context.Service<
  Transaction,
  {
    /**
     * Commits all changes of the effect; if the effect fails, commits none. After a conflict with another transaction,
     * the effect runs again. Side effects outside of the database must be repeatable, because the effect can run twice.
     * An effect in a transaction holds locks and must not wait for other systems.
     */
    readonly run: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@partner-commentary/core/shared/Transaction") {}

/**
 * Defers an effect until the surrounding transaction has committed. The implementation of `Transaction` provides the
 * reference `DeferUntilCommit`.
 */
export const DeferUntilCommit = Context.Reference<(effect: Effect.Effect<void>) => Effect.Effect<void>>(
  "@partner-commentary/reference/DeferUntilCommit",
  { defaultValue: () => identity }
)

/**
 * Runs an effect after the commit of the outermost transaction, or immediately if no transaction is running. After a
 * rollback, the deferred effect never runs.
 */
export const runAfterCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => fiber.getRef(DeferUntilCommit)(effect))
