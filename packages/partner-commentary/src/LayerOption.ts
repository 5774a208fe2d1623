/** Distinguishes options that are Effect layers from options that are plain values or functions. */
import * as Layer from "effect/Layer"

export const isLayer = <A>(option: A): option is Extract<A, Layer.Any> => Layer.isLayer(option)
