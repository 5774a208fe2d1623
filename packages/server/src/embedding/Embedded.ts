/**
 * The service as an object of promises, for an application that is no Effect: this is where an embedder begins. What it is made
 * of is the layer's; `NodeListener.ts` makes a listener for Node's server of it.
 */
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { type Sent, WebHandler } from "./WebHandler.ts"

/** What the routes ask of a layer: the core on its ports, the public address, crypto. */
export type Needed = Layer.Services<typeof WebHandler.layer>

export interface Embedded<R = Needed> {
  /**
   * Answers a request by the service's routes; what goes wrong is an answer, too. Bodies are read as they come, and an aborted
   * request ends its work. Tell who connected as `sent.address`: without it, strangers are counted nowhere, and a key with an
   * address list is refused. Rejects only where the service cannot begin.
   */
  readonly fetch: (request: Request, sent?: Sent) => Promise<Response>
  /** Anything else on the same services: use cases, registries, stores. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, R>) => Promise<A>
  /** Opens the database and sets the workers going before anybody asks. Rejects where that fails. */
  readonly begin: () => Promise<void>
  /** Ends what was begun: workers, connections, the database. A later call begins anew. */
  readonly dispose: () => Promise<void>
}

/**
 * The whole service of a layer: the core on its ports, and `Workers.layer` where this process also does what falls due. Begins
 * once, with the first call of any kind; a beginning that failed is tried again by the next one.
 *
 * ```ts
 * const service = open(layer)
 * await service.begin()
 * const response = await service.fetch(request, { address: "203.0.113.9" })
 * await service.dispose()
 * ```
 */
export const open = <Further, E>(layer: Layer.Layer<Needed | Further, E>): Embedded<Needed | Further> => {
  const whole = Layer.provideMerge(WebHandler.layer, layer)
  type Runtime = ManagedRuntime.ManagedRuntime<WebHandler | Needed | Further, E>
  let present: Runtime | undefined

  const begun = (): Promise<Runtime> => {
    const runtime = present ?? ManagedRuntime.make(whole)
    present = runtime
    return runtime.context().then(
      () => runtime,
      (error) => {
        if (present === runtime) present = undefined
        return runtime.dispose().then(() => Promise.reject(error))
      }
    )
  }

  return {
    fetch: (request, sent) =>
      begun()
        .then((runtime) => runtime.runPromise(WebHandler))
        .then(({ answer }) => answer(request, sent)),
    run: (effect) => begun().then((runtime) => runtime.runPromise(effect)),
    begin: () => begun().then(() => {}),
    dispose: () => {
      const ended = present
      present = undefined
      return ended === undefined ? Promise.resolve() : ended.dispose()
    }
  }
}
