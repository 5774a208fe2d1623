/**
 * The context in which a request or a job runs. Services are captured when the layers are built, so a running effect
 * reads only references: values with a default, whose keys all begin with `@partner-commentary/reference/`. Effect
 * copies the context in each transaction, so it must be small.
 */
import * as Context from "effect/Context"

/** The number of values that a request may add before its context is copied. A request adds about a dozen. */
export const maxDepth = 32

const isService = (key: string): boolean => /^@partner-commentary\/(?!reference\/)/.test(key)

/** Removes the services of Partner Commentary from the context. */
export const withoutServices = <R>({ mapUnsafe }: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(new Map([...mapUnsafe].filter(([key]) => !isService(key))), { maxDepth })
