/**
 * Signals new work to the workers of this process. If this process has no worker for a kind of work, the signal also
 * goes to other processes over the NOTIFY channel.
 */

import * as Instant from "@partner-commentary/core/shared/Instant"
import {
  allWorkKinds,
  type ChangeSignal,
  isChangeSignal,
  type WorkKind,
  type WorkNotification,
  WorkSignal
} from "@partner-commentary/core/shared/WorkSignal"
import * as Effect from "effect/Effect"
import { connectionLostMessage, type NotificationChannel } from "./Channel.ts"

const prefix = "work "

/** Parses a message, which contains a change, or a kind of work with an optional due time. */
const parse = (signal: string): ReadonlyArray<WorkNotification> => {
  if (isChangeSignal(signal)) return [signal]
  const [name, at] = signal.split(" ", 2)
  return allWorkKinds
    .filter((kind) => kind === name)
    .map((kind) => (at === undefined ? kind : { kind, at: Number(at) }))
}

/** Combines the channel with the service `own`, which signals the workers of this process. */
export const make = (channel: NotificationChannel, own: WorkSignal["Service"]): WorkSignal["Service"] => {
  const workers = new Map<WorkKind | ChangeSignal, number>()
  const count = (kind: WorkKind | ChangeSignal, more: number) =>
    Effect.sync(() => {
      workers.set(kind, (workers.get(kind) ?? 0) + more)
    })
  const isHere = (kind: WorkKind) => (workers.get(kind) ?? 0) > 0
  /**
   * For each kind of work, the earliest future due time that was signaled. Work with a later due time needs no signal,
   * because the worker polls at the earliest due time and then finds the next due time.
   */
  const announced = new Map<WorkKind, Instant.Instant>()
  const isEarliest = (kind: WorkKind, at: Instant.Instant, now: Instant.Instant) => {
    const earlier = announced.get(kind)
    if (earlier !== undefined && earlier > now && earlier <= at) return false
    announced.set(kind, at)
    return true
  }
  channel.onMessage((message) => {
    if (message === connectionLostMessage) return own.wakeAll
    return own.tell(parse(message.startsWith(prefix) ? message.slice(prefix.length) : ""))
  })

  /**
   * Selects the messages for other processes. Work for which this process has a worker needs no message, because that
   * worker starts immediately. Changes always need a message, because requests that wait for a change may run in any
   * process.
   */
  const messagesOf = (work: ReadonlyArray<WorkNotification>, now: Instant.Instant) =>
    work.flatMap((one) => {
      if (typeof one !== "string") {
        const { at, kind } = one
        return isHere(kind) || !isEarliest(kind, at, now) ? [] : [`${kind} ${at}`]
      }
      return isChangeSignal(one) || !isHere(one) ? [one] : []
    })

  const tell = (work: ReadonlyArray<WorkNotification>) =>
    Effect.andThen(
      own.tell(work),
      Effect.flatMap(Instant.now, (now) =>
        Effect.forEach(messagesOf(work, now), (message) => channel.say(prefix + message), { discard: true })
      )
    )
  return WorkSignal.of({
    notify: Effect.suspend(() => tell(allWorkKinds)),
    wakeAll: own.wakeAll,
    tell,
    listen: (kind) =>
      Effect.andThen(
        isChangeSignal(kind) ? Effect.void : Effect.acquireRelease(count(kind, 1), () => count(kind, -1)),
        own.listen(kind)
      )
  })
}
