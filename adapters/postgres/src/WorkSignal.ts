/** Signals new work to the workers of this process, or to other processes if this one has none. */
import {
  type Change,
  type DueWork,
  dueNow,
  everything,
  isChange,
  type Work,
  WorkSignal
} from "@partner-commentary/core/shared/WorkSignal"
import * as Effect from "effect/Effect"
import { connectionLost, type NotificationChannel } from "./Channel.ts"

const prefix = "work "

/** `own` signals the workers of this process. */
export const make = (channel: NotificationChannel, own: WorkSignal["Service"]): WorkSignal["Service"] => {
  const workers = new Map<Work | Change, number>()
  const count = (kind: Work | Change, more: number) =>
    Effect.sync(() => {
      workers.set(kind, (workers.get(kind) ?? 0) + more)
    })
  channel.onMessage((message) => {
    if (message === connectionLost) return own.notify
    const signal = message.startsWith(prefix) ? message.slice(prefix.length) : ""
    return own.tell(isChange(signal) ? [signal] : everything.filter((kind) => kind === signal))
  })

  const tell = (work: ReadonlyArray<DueWork>) =>
    Effect.andThen(
      own.tell(work),
      // Local workers start at once, and other processes find the remaining work by polling. Requests may wait anywhere.
      Effect.suspend(() =>
        Effect.forEach(
          dueNow(work).filter((kind) => isChange(kind) || (workers.get(kind) ?? 0) === 0),
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
        isChange(kind) ? Effect.void : Effect.acquireRelease(count(kind, 1), () => count(kind, -1)),
        own.listen(kind)
      )
  })
}
