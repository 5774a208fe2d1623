/** Reads an answer's JSON for a test to look into: what it holds is what the test asserts. */
import * as Effect from "effect/Effect"

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape instead of declaring it
export const json = (response: Response): Effect.Effect<any> => Effect.promise(() => response.json())
