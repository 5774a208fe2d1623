/**
 * Divides scarce resources of a process, such as database connections, into shares. All requests of one organization
 * use one common share of each resource. Workers, batches for several organizations, and all other work use one further
 * share.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

export interface FairShare {
  /** The organization, or the empty string for work that belongs to no single organization. */
  readonly owner: string
  /** True for operations of the concurrency pool `frequent`, which need the database only briefly. */
  readonly isFrequent: boolean
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
 * Runs work on the default scheduler, without waiting for the organization's turn. Use `bypassFairShare` for work that
 * all organizations need, or for work that holds a lock.
 */
export const bypassFairShare = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber(({ context }) => {
    const scheduler = Context.get(context, DefaultScheduler)
    return scheduler === undefined ? work : Effect.provideService(work, Scheduler.Scheduler, scheduler)
  })
