/** The port that signals new work to workers. If a signal is lost, the work waits for at most one poll interval. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { OrganizationId, TopicId } from "./Ids.ts"
import * as Instant from "./Instant.ts"
import type { Environment, Owner } from "./Owner.ts"
import { keptInProcess } from "./SharedState.ts"
import { afterCommit } from "./Transaction.ts"

/** The kinds of work for which workers wait. */
export type WorkKind = "assignments" | "tests" | "mails" | "deliveries" | "recoveries" | "removals" | "media"

export const allWorkKinds: ReadonlyArray<WorkKind> = [
  "assignments",
  "tests",
  "mails",
  "deliveries",
  "recoveries",
  "removals",
  "media"
]

/** Returns the signal for due assignments. Live and test assignments have separate signals. */
export const dueIn = (environment: Environment): WorkKind => (environment === "test" ? "tests" : "assignments")

/** A change for which requests wait: a topic's views changed, or an owner has a new event. */
export type Change = `topic ${TopicId}` | `events ${OrganizationId} ${Environment}`

export const isChange = (signal: string): signal is Change => /^(topic|events) /.test(signal)

export const topicChange = (id: TopicId): Change => `topic ${id}`

export const newEvents = ({ environment, organizationId }: Owner): Change => `events ${organizationId} ${environment}`

/** Describes signaled work of a kind, due now or later, or a signaled change. */
export type DueWork = WorkKind | Change | { readonly kind: WorkKind; readonly at: Instant.Instant }

export const dueAtTime = (kind: WorkKind, at: Instant.Instant, now: Instant.Instant): DueWork =>
  at <= now ? kind : { kind, at }

interface Listener {
  readonly signals: Queue.Queue<void>
  /** The end of the wait; minus infinity if the listener does not wait. */
  until: Instant.Instant
  /** The earliest due time that was signaled since the last wait. */
  later: Instant.Instant
}

export class WorkSignal extends Context.Service<
  WorkSignal,
  {
    /** Signals work of every kind to the workers. Within a transaction, the signal takes effect after the commit. */
    readonly notify: Effect.Effect<void>
    /** Ends every wait in this process. Callers use this effect when signals may have been lost. */
    readonly wakeAll: Effect.Effect<void>
    /** Signals only this work. A signal for later work ends only waits that would last longer. */
    readonly tell: (work: ReadonlyArray<DueWork>) => Effect.Effect<void>
    /**
     * Listens for one kind of work, or for one change, until the scope closes. The returned effect waits for the next
     * signal, up to the given time, and returns whether a signal arrived. A signal since the previous wait also counts,
     * so no signal is lost between a query and the wait.
     */
    readonly listen: (
      kind: WorkKind | Change
    ) => Effect.Effect<(longest: Duration.Duration) => Effect.Effect<boolean>, never, Scope.Scope>
  }
>()("@partner-commentary/core/shared/WorkSignal") {
  /** This layer signals only within one process. */
  static readonly layerProcess = Layer.sync(WorkSignal, () => {
    const listeners = new Map<WorkKind | Change, Set<Listener>>()
    const add = (kind: WorkKind | Change, listener: Listener) => {
      const present = listeners.get(kind)
      if (present === undefined) listeners.set(kind, new Set([listener]))
      else present.add(listener)
    }
    const remove = (kind: WorkKind | Change, listener: Listener) => {
      const present = listeners.get(kind)
      present?.delete(listener)
      if (present?.size === 0) listeners.delete(kind)
    }
    const signal = (listener: Listener, at: Instant.Instant) => {
      listener.later = Math.min(listener.later, at)
      if (at < listener.until) Queue.offerUnsafe(listener.signals, undefined)
    }
    const tell = (work: ReadonlyArray<DueWork>) =>
      afterCommit(
        Effect.sync(() => {
          for (const one of work) {
            const { at, kind } = typeof one === "string" ? { kind: one, at: null } : one
            for (const listener of listeners.get(kind) ?? []) {
              if (at === null) Queue.offerUnsafe(listener.signals, undefined)
              else signal(listener, at)
            }
          }
        })
      )
    return keptInProcess(
      WorkSignal.of({
        // Requests of partners call `notify`, so `notify` signals only workers and no waiting requests.
        notify: Effect.suspend(() => tell(allWorkKinds)),
        wakeAll: Effect.suspend(() => tell([...listeners.keys()])),
        tell,
        listen: (kind) =>
          Effect.map(
            Effect.acquireRelease(
              Effect.map(Queue.dropping<void>(1), (signals) => {
                const listener: Listener = { signals, until: never, later: forever }
                add(kind, listener)
                return listener
              }),
              (listener) => Effect.sync(() => remove(kind, listener))
            ),
            (listener) => (longest) => wait(listener, longest)
          )
      })
    )
  })
}

const never = Number.NEGATIVE_INFINITY
const forever = Number.POSITIVE_INFINITY

const wait = Effect.fnUntraced(function* (listener: Listener, longest: Duration.Duration) {
  const now = yield* Instant.now
  const until = Math.min(now + Duration.toMillis(longest), listener.later)
  listener.until = until
  const signaled = yield* Effect.ensuring(
    Effect.timeoutOption(Queue.take(listener.signals), Duration.millis(Math.max(0, until - now))),
    Effect.sync(() => {
      listener.until = never
      listener.later = forever
    })
  )
  return Option.isSome(signaled)
})
