/** Replaces time and randomness in tests by values that the test controls. */
import { afterEach, beforeEach, vi } from "vitest"

/** Uses the fake clock in every test of the calling file. */
export const useFakeClock = (): void => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 30) })
    vi.spyOn(Math, "random").mockReturnValue(0.5)
  })

  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
}

/** Advances the fake clock until the call has resolved or rejected. */
export const advanceUntilSettled = async <A>(call: Promise<A>): Promise<A> => {
  call.catch(() => undefined)
  await vi.runAllTimersAsync()
  return call
}
