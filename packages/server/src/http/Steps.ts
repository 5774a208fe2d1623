/** Processes long texts in steps of a few milliseconds, so that other requests can run in between. */
import * as Effect from "effect/Effect"

/** Yields between steps. */
export type Steps<A> = Generator<void, A>

/** Tokens in one step. A token takes about a microsecond. */
export const tokensPerStep = 2000

export const run = Effect.fnUntraced(function* <A>(steps: Steps<A>) {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})

/** Without yielding, for short texts. */
export const runWithoutYield = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
