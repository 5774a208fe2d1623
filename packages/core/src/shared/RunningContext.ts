/**
 * The context of a running request or job contains references but no services, because layers capture the services when
 * they are built. In Effect, a reference is a context value with a default. The key of a reference begins with
 * `@partner-commentary/reference/`. Effect copies the context in each transaction, so the context must be small.
 */
import * as Context from "effect/Context"

/**
 * The value of Effect's option `maxDepth` for the context. Effect copies the whole context when more values than
 * `maxValuesBeforeCopy` were added one by one. A request adds about a dozen values to the context.
 */
export const maxValuesBeforeCopy = 32

const isService = (key: string): boolean => /^@partner-commentary\/(?!reference\/)/.test(key)

/** Returns the context without the services of Partner Commentary. */
export const removeServices = <R>({ mapUnsafe }: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(new Map([...mapUnsafe].filter(([key]) => !isService(key))), { maxDepth: maxValuesBeforeCopy })
