/** Runs the jobs of one kind. A worker runs jobs concurrently, and a test runs jobs one after another. */
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as LogContext from "@partner-commentary/core/shared/LogContext"
import * as RunningContext from "@partner-commentary/core/shared/RunningContext"
import { type WorkKind, WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as FairSemaphore from "./FairSemaphore.ts"

/**
 * The number of claims that may run concurrently. On Postgres, concurrent changes share one transaction and its commit.
 */
const concurrentClaims = 16

/** The slots in which a process runs its claimed jobs. */
export interface JobSlots<Job> {
  readonly free: () => number
  /**
   * Returns whether the organization uses less than its fair share of the slots. Each occurrence of an organization in
   * `pending` counts as one additional slot.
   */
  readonly isFreeFor: (organization: OrganizationId, pending?: ReadonlyArray<OrganizationId>) => boolean
  /** The number of claims that may run concurrently. */
  readonly claims: number
  readonly start: (job: Job) => void
  /** Waits between two full batches, so that other writers can use the database. */
  readonly pause: Effect.Effect<void>
}

export interface JobDefinition<Job> {
  readonly kind: WorkKind
  /** The maximum number of jobs that run concurrently in a process. */
  readonly limit: number
  /**
   * Claims due jobs and starts each job in a slot. Returns the number of started jobs plus the number of changes. The
   * number is 0 if no job was due.
   */
  readonly claim: (slots: JobSlots<Job>) => Effect.Effect<number>
  /**
   * Runs a claimed job and records the job's outcome. An interruption releases the job. Returns whether other jobs may
   * be due now.
   */
  readonly run: (job: Job, slots: Pick<JobSlots<Job>, "free">) => Effect.Effect<boolean>
  /** Returns the next due time. Omit `nextDue` if the work has no due times, so that only polling finds the work. */
  readonly nextDue?: Effect.Effect<Option.Option<Instant.Instant>>
  /** Returns the organization whose share of the slots the job uses. */
  readonly owner?: (job: Job) => OrganizationId
  /** Returns the attributes that identify the job in log lines. */
  readonly describe: (job: Job) => Readonly<Record<string, unknown>>
}

export interface JobRunner {
  readonly kind: WorkKind
  /**
   * Claims due jobs for the free slots. The jobs run until they end, or until the scope closes and releases the jobs.
   */
  readonly poll: Effect.Effect<number>
  /** True when `nextDue` finds the same work as a poll. */
  readonly hasDueTimes: boolean
  /** Runs due jobs one after another in the order of their due times, so that tests can control the order. */
  readonly runDue: Effect.Effect<number>
  readonly nextDue: Effect.Effect<Option.Option<Instant.Instant>>
  readonly inFlight: Effect.Effect<number>
  /** Waits until no job is running. */
  readonly settled: Effect.Effect<void>
}

export const make = Effect.fnUntraced(function* <Job>(
  definition: JobDefinition<Job>
): Effect.fn.Return<JobRunner, never, Scope.Scope | WorkSignal> {
  const { claim, describe, kind, limit, nextDue, owner, run } = definition
  const { tell } = yield* WorkSignal
  const fibers = yield* FiberSet.make()
  const fork = yield* inJobContext(FiberSet.runtime(fibers)())
  const semaphore = FairSemaphore.make<OrganizationId | null>(limit)

  const runLogged = (job: Job) =>
    Effect.suspend(() => {
      const logContext: LogContext.MutableLogContext = {}
      return Effect.catchCause(
        Effect.provideService(run(job, semaphore), LogContext.LogContextCollector, logContext),
        (cause) =>
          Effect.annotateLogs(Effect.as(Effect.logError(`A job ended with a defect: ${kind}`, cause), true), {
            ...LogContext.formatLogContextAttributes(logContext, "_"),
            ...describe(job)
          })
      )
    })

  /** True when the last poll may have left due jobs unclaimed, because not enough slots were free. */
  let isCrowded = false
  const noted = (isFree: boolean) => {
    isCrowded ||= !isFree
    return isFree
  }

  const slots: JobSlots<Job> = {
    free: () => {
      const free = semaphore.free()
      noted(free > 0)
      return free
    },
    isFreeFor: (organization, pending) => noted(semaphore.isFreeFor(organization, pending)),
    claims: concurrentClaims,
    start: (job) =>
      // Release the slot before the signal starts the next poll.
      fork(
        Effect.flatMap(semaphore.take(owner?.(job) ?? null, runLogged(job)), (isMoreDue) =>
          isMoreDue || isCrowded ? tell([kind]) : Effect.void
        )
      ),
    pause: Effect.sleep("50 millis")
  }

  const runDue = Effect.gen(function* () {
    const now = yield* Instant.now
    if (nextDue !== undefined && !Option.exists(yield* nextDue, (due) => due <= now)) return 0
    const jobs: Array<Job> = []
    const start = (job: Job) => jobs.push(job)
    const inline = { free: () => limit, isFreeFor: () => true, claims: 1, start, pause: Effect.void }
    const done = yield* Effect.provideService(claim(inline), Random.Random, inOrder)
    for (const job of jobs) yield* run(job, { free: () => 0 })
    return done
  })

  return {
    kind,
    poll: Effect.suspend(() => {
      isCrowded = false
      return inJobContext(claim(slots))
    }),
    hasDueTimes: nextDue !== undefined,
    runDue: inJobContext(runDue),
    nextDue: nextDue ?? Effect.succeedNone,
    inFlight: FiberSet.size(fibers),
    settled: FiberSet.awaitEmpty(fibers)
  }
})

const inJobContext = <A>(effect: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.updateContext<A, never, never, never>(effect, RunningContext.removeServices)

/** A fake random source that starts each list at its beginning, so that the order of jobs is reproducible. */
const inOrder = { nextIntUnsafe: () => 0, nextDoubleUnsafe: () => 0 }

/** Claims a batch of jobs for the free slots. Even if the poll is interrupted, every claimed job gets a slot. */
export const makeBatchClaim =
  <Job>(claim: (free: number) => Effect.Effect<ReadonlyArray<Job>>): JobDefinition<Job>["claim"] =>
  ({ free, start }) =>
    Effect.suspend(() =>
      free() <= 0
        ? Effect.succeed(0)
        : Effect.uninterruptible(
            Effect.map(claim(free()), (jobs) => {
              for (const job of jobs) start(job)
              return jobs.length
            })
          )
    )
