/** Counts the running calls of an embedded service, so that a stop lets these calls finish. */
import * as Effect from "effect/Effect"

/** The time for which a stopping service waits for running calls. */
const grace = "10 seconds"

export interface RunningCalls {
  /** Returns the result of the call, or of `cutOff` if the call still runs at the end of the grace period. */
  readonly add: <A>(call: Promise<A>, cutOff: () => Promise<A>) => Promise<A>
  /** Waits until no call is running, at most for the grace period, and then ends the promises of the other calls. */
  readonly drain: Effect.Effect<void>
}

export const make = (): RunningCalls => {
  const running = new Set<() => void>()
  let whenIdle = () => {}

  const idle = Effect.callback<void>((resume) => {
    whenIdle = () => resume(Effect.void)
    if (running.size === 0) whenIdle()
  })

  return {
    add: (call, cutOff) =>
      new Promise((resolve, reject) => {
        const end = () => resolve(cutOff())
        const ended = () => {
          running.delete(end)
          if (running.size === 0) whenIdle()
        }
        running.add(end)
        call.then(resolve, reject).then(ended)
      }),
    drain: Effect.andThen(
      Effect.timeoutOption(idle, grace),
      Effect.sync(() => {
        for (const end of running) end()
      })
    )
  }
}
