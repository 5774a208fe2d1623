/** Reads a response's JSON. The tests assert the shape of the JSON. */
import * as Effect from "effect/Effect"

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the JSON
export const readJson = (response: Response): Effect.Effect<any> => Effect.promise(() => response.json())
