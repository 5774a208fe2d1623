/** Distinguishes an option that is an Effect layer from an option in plain form. */
import * as Layer from "effect/Layer"

export const isLayer = <A>(option: A): option is Extract<A, Layer.Any> => Layer.isLayer(option)
