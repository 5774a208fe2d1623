/**
 * Prepares the context in which a host runs requests. Each HTTP request adds about a dozen services to its Effect
 * context. By default, every eighth added service copies the whole map with all services of the application.
 */
import * as Context from "effect/Context"

/** The number of services that a request may add before its context is copied. */
export const maxDepth = 32

/** Call this function once, with the context of the listener. */
export const withMaxDepth = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(new Map(context.mapUnsafe), { maxDepth })
