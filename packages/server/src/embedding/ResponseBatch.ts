/**
 * Lets the responses of one turn of the event loop be written one after another, which takes less processor time than a
 * write after each request.
 */
import { concurrencyPoolLimits } from "@partner-commentary/core/access/ConcurrencyLimit"

/** Runs the function at the end of the current turn of the event loop, as Node's `setImmediate` does. */
export type RunAtEndOfTurn = (run: () => void) => void

/**
 * The maximum number of responses in a batch. A response keeps its concurrency permit until the response is written, so
 * more waiting responses would delay the organization's next request.
 */
const maxResponses = concurrencyPoolLimits.standard.each

/**
 * Returns a function that waits until its caller may write a response. The wait ends at the end of the turn, or earlier
 * when the batch is full.
 */
export const make = (runAtEndOfTurn: RunAtEndOfTurn): (() => Promise<void>) => {
  const waiting: Array<() => void> = []
  const run = () => {
    for (const resume of waiting.splice(0)) resume()
  }
  return () =>
    new Promise((resume) => {
      const size = waiting.push(resume)
      if (size === maxResponses) run()
      else if (size === 1) runAtEndOfTurn(run)
    })
}
