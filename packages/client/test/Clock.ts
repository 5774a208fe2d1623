/** Time and chance that stand still until a test moves them. */
import { afterEach, beforeEach, vi } from "vitest"

/** For every test of the file that calls it. */
export const stopped = (): void => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 30) })
    vi.spyOn(Math, "random").mockReturnValue(0.5)
  })

  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
}

/** Runs the clock on until the call has settled. */
export const settled = async <A>(call: Promise<A>): Promise<A> => {
  call.catch(() => undefined)
  await vi.runAllTimersAsync()
  return call
}
