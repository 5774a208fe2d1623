/**
 * Prepares the context in which a host runs requests. Each HTTP request adds about a dozen services to its Effect
 * context. By default a context copies its whole map, which has all services of the application, at each eighth service
 * that is added.
 */
import * as Context from "effect/Context"

/** The number of services that a request may add before its context is copied. */
export const maxDepth = 32

/** Call it once, with the context of the listener. */
export const withMaxDepth = <R>(context: Context.Context<R>): Context.Context<R> =>
  Context.makeUnsafe(new Map(context.mapUnsafe), { maxDepth })
