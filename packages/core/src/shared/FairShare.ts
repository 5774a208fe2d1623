/**
 * The share of a process's scarce resources, such as database connections, that the current work uses. All requests of
 * one organization use one share. All other work, including workers and shared batches, uses another share.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"

export const FairShare = Context.Reference<string>("@partner-commentary/core/shared/FairShare", {
  defaultValue: () => ""
})

/** The process's scheduler, while a fiber runs in the turns of its organization. */
export const ProcessScheduler = Context.Reference<Scheduler.Scheduler | undefined>(
  "@partner-commentary/core/shared/ProcessScheduler",
  { defaultValue: () => undefined }
)

/**
 * Runs work that holds something which other organizations wait for, such as the database's lock, or that serves them
 * all. It does not wait for its organization's turn.
 */
export const outsideTurns = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber(({ context }) => {
    const scheduler = Context.get(context, ProcessScheduler)
    return scheduler === undefined ? work : Effect.provideService(work, Scheduler.Scheduler, scheduler)
  })
