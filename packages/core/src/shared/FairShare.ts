/**
 * Identifies which share of scarce resources, such as database connections, the current work uses. All requests of one
 * organization use one share. All other work, including workers and shared batches, uses another share.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

export const FairShare = Context.Reference<string>("@partner-commentary/reference/FairShare", {
  defaultValue: () => ""
})

/** The default scheduler of the process. The fair scheduler uses this scheduler to run fibers. */
export const ProcessScheduler = Context.Reference<Scheduler.Scheduler | undefined>(
  "@partner-commentary/reference/ProcessScheduler",
  { defaultValue: () => undefined }
)

/**
 * Runs work without waiting for the organization's turn. Use this function for work that all organizations need, or
 * while holding a lock that other work needs.
 */
export const outsideTurns = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber(({ context }) => {
    const scheduler = Context.get(context, ProcessScheduler)
    return scheduler === undefined ? work : Effect.provideService(work, Scheduler.Scheduler, scheduler)
  })
