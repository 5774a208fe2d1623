/**
 * The context in which a request or a job runs. The layers capture services when they are built, so a running effect
 * reads only references. References are values with a default, and their keys begin with
 * `@partner-commentary/reference/`. Effect copies the context in each transaction, so the context must be small.
 */
import * as Context from "effect/Context"

/**
 * The number of values that a request may add before its context is copied. A typical request adds about twelve values.
 */
export const maxDepth = 32

const isService = (key: string): boolean => /^@partner-commentary\/(?!reference\/)/.test(key)

/** Removes the services of Partner Commentary from a context. */
export const withoutServices = <R>({ mapUnsafe }: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(new Map([...mapUnsafe].filter(([key]) => !isService(key))), { maxDepth })
