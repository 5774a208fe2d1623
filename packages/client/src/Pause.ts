/** Provides pauses and timeouts that a signal can abort. */

/** The longest delay that a timer supports, in milliseconds. */
const longest = 2 ** 31 - 1

/** Waits for `ms` milliseconds. If the signal aborts, the promise rejects with the reason of the signal. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", stop)
        resolve()
      },
      Math.min(ms, longest)
    )
    signal?.addEventListener("abort", stop, { once: true })
  })

/**
 * Runs a function with an abort signal. The function's signal aborts with `reason` after `ms` milliseconds. If the
 * outer signal aborts earlier, the function's signal aborts with the outer signal's reason. When the signal aborts, the
 * promise rejects even if the function ignores the signal.
 */
export const withTimeout = async <A>(
  ms: number,
  reason: unknown,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<A>
): Promise<A> => {
  outer?.throwIfAborted()
  const controller = new AbortController()
  const { signal } = controller
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true })
  })
  const stop = () => controller.abort(outer?.reason)
  const timer = setTimeout(() => controller.abort(reason), Math.min(ms, longest))
  outer?.addEventListener("abort", stop, { once: true })
  try {
    return await Promise.race([run(signal), aborted])
  } finally {
    clearTimeout(timer)
    outer?.removeEventListener("abort", stop)
  }
}
