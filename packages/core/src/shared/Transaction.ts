/**
 * The port that makes one of several changes, of stores of one database. One store's own change needs it not: each is whole
 * by itself, and joins the transaction around it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"

export class Transaction extends Context.Service<
  Transaction,
  {
    /**
     * All changes within are made or none; a failure undoes them. What a conflict with others undid is run anew, so what is
     * done within besides changes must bear repetition. It must wait for nothing but the database: others may wait for it.
     */
    readonly run: <A, E, R>(change: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("@partner-commentary/core/shared/Transaction") {}

/** How something is put off until the transaction around has committed; whoever runs transactions sets it for what is within. */
export const AfterCommit = Context.Reference<(effect: Effect.Effect<void>) => Effect.Effect<void>>(
  "@partner-commentary/core/shared/Transaction/AfterCommit",
  { defaultValue: () => identity }
)

/** Once what was changed can be seen by others: at once, or after the commit of the outermost transaction; never if that fails. */
export const afterCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => fiber.getRef(AfterCommit)(effect))
