/** Reads long texts in steps of a few milliseconds, so that other callers have turns in between. */
import * as Effect from "effect/Effect"

/** Yields between two steps. */
export type Steps<A> = Generator<void, A>

/** Of one step: a token takes about a microsecond. */
export const tokensAtOnce = 2000

export const run = Effect.fnUntraced(function* <A>(steps: Steps<A>) {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    yield* Effect.yieldNow
  }
})

/** Without turns of others, for short texts. */
export const runAtOnce = <A>(steps: Steps<A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
