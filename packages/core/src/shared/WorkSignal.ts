/** The port that signals new work to workers. A lost signal delays work by at most one poll interval. */
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
import { markInProcessState } from "./SharedState.ts"
import { runAfterCommit } from "./Transaction.ts"

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

/** Returns the kind of work for due assignments. Live and test assignments have separate kinds of work. */
export const toAssignmentWorkKind = (environment: Environment): WorkKind =>
  environment === "test" ? "tests" : "assignments"

/**
 * A change for which waiting requests listen: the API's data about a topic has changed, or an owner has a new event.
 */
export type ChangeSignal = `topic ${TopicId}` | `events ${OrganizationId} ${Environment}`

export const isChangeSignal = (signal: string): signal is ChangeSignal => /^(topic|events) /.test(signal)

export const makeTopicChangeSignal = (id: TopicId): ChangeSignal => `topic ${id}`

export const makeNewEventsSignal = ({ environment, organizationId }: Owner): ChangeSignal =>
  `events ${organizationId} ${environment}`

/** A notification reports that work of one kind is due, now or at a given time, or that a resource has changed. */
export type WorkNotification = WorkKind | ChangeSignal | { readonly kind: WorkKind; readonly at: Instant.Instant }

export const makeDueWorkNotification = (kind: WorkKind, at: Instant.Instant, now: Instant.Instant): WorkNotification =>
  at <= now ? kind : { kind, at }

interface Listener {
  readonly signals: Queue.Queue<void>
  /** The end of the current wait; minus infinity while the listener does not wait. */
  until: Instant.Instant
  /** The earliest due time that a signal has reported since the last wait. */
  later: Instant.Instant
}

export class WorkSignal extends Context.Service<
  WorkSignal,
  {
    /** Signals work of every kind to the workers. Within a transaction, the signal is sent after the commit. */
    readonly notify: Effect.Effect<void>
    /** Ends every wait for a signal in this process. Call `wakeAll` when signals may have been lost. */
    readonly wakeAll: Effect.Effect<void>
    /**
     * Signals only the given work. A signal for work that is due later ends a wait only if the wait would last beyond
     * the due time.
     */
    readonly tell: (work: ReadonlyArray<WorkNotification>) => Effect.Effect<void>
    /**
     * Listens for one kind of work, or for one change, until the scope closes. The returned function waits for a
     * signal, but at most `longest`, and returns whether a signal came. If a signal came since the previous wait, the
     * wait ends immediately, so no signal is lost between a query and the wait.
     */
    readonly listen: (
      kind: WorkKind | ChangeSignal
    ) => Effect.Effect<(longest: Duration.Duration) => Effect.Effect<boolean>, never, Scope.Scope>
  }
>()("@partner-commentary/core/shared/WorkSignal") {
  /** `layerProcess` sends signals only within one process. */
  static readonly layerProcess = Layer.sync(WorkSignal, () => {
    const listeners = new Map<WorkKind | ChangeSignal, Set<Listener>>()
    const add = (kind: WorkKind | ChangeSignal, listener: Listener) => {
      const present = listeners.get(kind)
      if (present === undefined) listeners.set(kind, new Set([listener]))
      else present.add(listener)
    }
    const remove = (kind: WorkKind | ChangeSignal, listener: Listener) => {
      const present = listeners.get(kind)
      present?.delete(listener)
      if (present?.size === 0) listeners.delete(kind)
    }
    const signal = (listener: Listener, at: Instant.Instant) => {
      listener.later = Math.min(listener.later, at)
      if (at < listener.until) Queue.offerUnsafe(listener.signals, undefined)
    }
    const tell = (work: ReadonlyArray<WorkNotification>) =>
      runAfterCommit(
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
    return markInProcessState(
      WorkSignal.of({
        // Partners' requests call `notify`, so `notify` must not wake waiting requests of other organizations.
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
  if (until <= now || Queue.sizeUnsafe(listener.signals) > 0) {
    if (listener.later <= now) listener.later = forever
    return Option.isSome(yield* Queue.poll(listener.signals))
  }
  listener.until = until
  const signaled = yield* Effect.ensuring(
    Effect.timeoutOption(Queue.take(listener.signals), Duration.millis(until - now)),
    Effect.sync(() => {
      listener.until = never
      listener.later = forever
    })
  )
  return Option.isSome(signaled)
})
