/**
 * The share of a process's scarce resources, such as database connections, that the current work uses. All requests of
 * one organization use one share. All other work, including workers and shared batches, uses another share.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

export const FairShare = Context.Reference<string>("@partner-commentary/reference/FairShare", {
  defaultValue: () => ""
})

/** The default scheduler of the process, for fibers that the fair scheduler runs. */
export const ProcessScheduler = Context.Reference<Scheduler.Scheduler | undefined>(
  "@partner-commentary/reference/ProcessScheduler",
  { defaultValue: () => undefined }
)

/**
 * Runs work without waiting for its organization's turn. Use it for work that all organizations need, or that holds a
 * lock for which others wait.
 */
export const bypassFairShare = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber(({ context }) => {
    const scheduler = Context.get(context, ProcessScheduler)
    return scheduler === undefined ? work : Effect.provideService(work, Scheduler.Scheduler, scheduler)
  })
