/** Adapters that are loaded when the settings choose them. Which they choose is the host's to follow. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export const loaded = <Module, A, E, R>(
  load: () => Promise<Module>,
  make: (module: Module) => Layer.Layer<A, E, R>
): Layer.Layer<A, E, R> => Layer.unwrap(Effect.map(Effect.promise(load), make))
