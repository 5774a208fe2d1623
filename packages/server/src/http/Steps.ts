/** Processes long texts in steps of a few milliseconds, so that other requests can run in between. */
import * as Effect from "effect/Effect"

/** Runs the steps and yields between them. */
export type Steps<A> = Generator<void, A>

/** The number of tokens in one step. Processing a token takes about a microsecond. */
export const tokensPerStep = 2000

export const run = Effect.fnUntraced(function* <A>(steps: Steps<A>) {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})

/** Runs all steps without yielding, for short texts. */
export const runWithoutYield = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
