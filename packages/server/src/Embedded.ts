/**
 * The service as an object of promises, for a host that is no Effect. It begins with the first call, once for all of them, and
 * ends when it is told to. A beginning that failed is tried again by the next call.
 */
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { type Sent, WebHandler } from "./WebHandler.ts"

/** What the routes ask of a layer: the core on its ports, the public address, crypto. */
export type Needed = Layer.Services<typeof WebHandler.layer>

export interface Embedded<R = Needed> {
  /** Rejects only where the service cannot begin. */
  readonly fetch: (request: Request, sent?: Sent) => Promise<Response>
  /** Anything else on the same services. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, R>) => Promise<A>
  /** Ends what was begun: connections, the database. */
  readonly dispose: () => Promise<void>
}

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
    dispose: () => {
      const ended = present
      present = undefined
      return ended === undefined ? Promise.resolve() : ended.dispose()
    }
  }
}
