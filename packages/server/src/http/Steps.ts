/** Processes long texts in steps of a few milliseconds, so that other requests can run between the steps. */
import * as Effect from "effect/Effect"

/** A computation that yields after each step and finally returns its result. */
export type ProcessingSteps<A> = Generator<void, A>

/** The number of tokens in one step. Processing a token takes about a microsecond. */
export const tokensPerStep = 2000

export const runInSteps = Effect.fnUntraced(function* <A>(steps: ProcessingSteps<A>) {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})

/** Runs all steps without yielding to other requests, for short texts. */
export const runWithoutYielding = <A>(steps: ProcessingSteps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
