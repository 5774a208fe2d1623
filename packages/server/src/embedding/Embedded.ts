/**
 * Provides the service as an object whose methods return promises, for applications that do not use Effect.
 * `NodeListener.ts` turns the object into a listener for Node's HTTP server.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { type HostRequestInfo, WebHandler } from "./WebHandler.ts"

/** The services that the routes require: the core with its ports, the public address, crypto. */
export type EmbeddedRequirements = Layer.Services<typeof WebHandler.layer>

export interface EmbeddedService<R = EmbeddedRequirements> {
  /**
   * Handles a request. Errors become error responses, and bodies are streamed. If the client aborts the request, the
   * service stops handling the request. Pass the client's address as `sent.address`. Without the client's address,
   * anonymous calls have no rate limit, and API keys with an address list are rejected. The promise rejects only if the
   * service cannot start.
   */
  readonly fetch: (request: Request, sent?: HostRequestInfo) => Promise<Response>
  /** Handles a request like `fetch`. `NodeListener` writes most responses without a web Response. */
  readonly handle: WebHandler["Service"]["handle"]
  /** Runs an effect with the services of the routes: use cases, registries and stores. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, R>) => Promise<A>
  /** Opens the database and starts the workers. The promise rejects when the database or the workers fail to start. */
  readonly begin: () => Promise<void>
  /** Stops the workers and closes the connections. After `dispose`, a call of any method starts the service again. */
  readonly dispose: () => Promise<void>
}

/**
 * Opens the service with the given layer. The given layer contains the core with its ports. Add `Workers.layer` if this
 * process should also run jobs. The first call of any method starts the service. If the start fails, the next call
 * retries the start.
 *
 * ```ts
 * const service = open(layer)
 * await service.begin()
 * const response = await service.fetch(request, { address: "203.0.113.9" })
 * await service.dispose()
 * ```
 */
export const open = <Further, E>(
  layer: Layer.Layer<EmbeddedRequirements | Further, E>
): EmbeddedService<EmbeddedRequirements | Further> => {
  const whole = Layer.provideMerge(WebHandler.layer, layer)
  type Runtime = ManagedRuntime.ManagedRuntime<WebHandler | EmbeddedRequirements | Further, E>
  let present: Runtime | undefined

  const begun = () => {
    const runtime = present ?? ManagedRuntime.make(whole)
    present = runtime
    return runtime.context().then(
      (context) => ({ runtime, handler: Context.get(context, WebHandler) }),
      (error) => {
        if (present === runtime) present = undefined
        return runtime.dispose().then(() => Promise.reject(error))
      }
    )
  }

  return {
    fetch: (request, sent) => begun().then(({ handler }) => handler.respond(request, sent)),
    handle: (...exchange) => begun().then(({ handler }) => handler.handle(...exchange)),
    run: (effect) => begun().then(({ runtime }) => runtime.runPromise(effect)),
    begin: () => begun().then(() => {}),
    dispose: () => {
      const ended = present
      present = undefined
      return ended === undefined ? Promise.resolve() : ended.dispose()
    }
  }
}
