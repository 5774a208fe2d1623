/** The signal that there is work, to workers in other processes too where this one has none. */
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as Effect from "effect/Effect"
import { type Channel, lost } from "./Channel.ts"

const work = "work"

/** `own` is what wakes the workers of this process. */
export const make = (channel: Channel, own: WorkSignal["Service"]): WorkSignal["Service"] => {
  let workers = 0
  channel.onMessage((message) => (message === work || message === lost ? own.notify : Effect.void))
  return WorkSignal.of({
    notify: Effect.andThen(
      own.notify,
      // Who works here begins at once, and the others find what is left by looking.
      Effect.suspend(() => (workers > 0 ? Effect.void : channel.say(work)))
    ),
    listen: Effect.andThen(
      Effect.acquireRelease(
        Effect.sync(() => {
          workers++
        }),
        () =>
          Effect.sync(() => {
            workers--
          })
      ),
      own.listen
    )
  })
}
