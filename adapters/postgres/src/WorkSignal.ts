/** The signal that there is work, to workers in other processes too where this one has none for it. */
import { everything, type Work, WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as Effect from "effect/Effect"
import { type Channel, lost } from "./Channel.ts"

const prefix = "work "

/** `own` is what wakes the workers of this process. */
export const make = (channel: Channel, own: WorkSignal["Service"]): WorkSignal["Service"] => {
  const workers = new Map<Work, number>()
  const count = (kind: Work, more: number) =>
    Effect.sync(() => {
      workers.set(kind, (workers.get(kind) ?? 0) + more)
    })
  channel.onMessage((message) => {
    if (message === lost) return own.notify
    return own.tell(everything.filter((kind) => message === prefix + kind))
  })

  const tell = (kinds: ReadonlyArray<Work>) =>
    Effect.andThen(
      own.tell(kinds),
      // Who works here begins at once, and the others find what is left by looking.
      Effect.suspend(() =>
        Effect.forEach(
          kinds.filter((kind) => (workers.get(kind) ?? 0) === 0),
          (kind) => channel.say(prefix + kind),
          { discard: true }
        )
      )
    )
  return WorkSignal.of({
    notify: Effect.suspend(() => tell(everything)),
    tell,
    listen: (kind) =>
      Effect.andThen(
        Effect.acquireRelease(count(kind, 1), () => count(kind, -1)),
        own.listen(kind)
      )
  })
}
