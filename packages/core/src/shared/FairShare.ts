/**
 * Divides scarce resources of a process, such as database connections, into shares. Each organization has one share for
 * its frequent operations and one share for its other requests. Workers, batches for several organizations, and all
 * other work use one further share.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

export interface FairShare {
  /** The organization, or the empty string for work that belongs to no single organization. */
  readonly owner: string
  /** True for submissions and status polls. */
  readonly isFrequent: boolean
  /** The scheduler that gives the organization its turns. Undefined for work that does not run in turns. */
  readonly scheduler?: Scheduler.Scheduler | undefined
}

export const CurrentFairShare = Context.Reference<FairShare>("@partner-commentary/reference/FairShare", {
  defaultValue: () => common
})

const common: FairShare = { owner: "", isFrequent: false }

/** The default scheduler of the process. The fair scheduler provides `DefaultScheduler` to the fibers that it runs. */
export const DefaultScheduler = Context.Reference<Scheduler.Scheduler | undefined>(
  "@partner-commentary/reference/DefaultScheduler",
  { defaultValue: () => undefined }
)

/**
 * Waits for the organization's next turn, in which the caller continues before the organization's other work. Work that
 * does not run in turns continues immediately.
 */
export const awaitNextTurn = ({ scheduler }: FairShare): Effect.Effect<void> =>
  scheduler === undefined ? Effect.void : Effect.provideService(Effect.yieldNowWith(1), Scheduler.Scheduler, scheduler)

/** Runs work for all organizations, even if a request of one organization starts the work, such as a key look-up. */
export const asCommonWork = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  bypassFairShare(Effect.provideService(work, CurrentFairShare, common))

/**
 * Runs work on the default scheduler. A yield of the work does not wait for the organization's turn. Use
 * `bypassFairShare` for work that all organizations need, or for work that holds a lock.
 */
export const bypassFairShare = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber(({ context }) => {
    const scheduler = Context.get(context, DefaultScheduler)
    return scheduler === undefined || scheduler === Context.get(context, Scheduler.Scheduler)
      ? work
      : Effect.provideService(work, Scheduler.Scheduler, scheduler)
  })
