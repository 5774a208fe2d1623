/** Distinguishes an option that is a layer of Effect from one in plain form. */
import * as Layer from "effect/Layer"

export const isLayer = <A>(option: A): option is Extract<A, Layer.Any> => Layer.isLayer(option)
