/**
 * Runs the timed steps of assignments. Timed steps are deadlines, reminders, steps of simulated creators and the starts
 * of generation attempts.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type DraftJob, reportNoAttemptLeft } from "../commentary/DraftWorker.ts"
import { repairDueTimes, findDueStep as runStep, startsGenerationAttempt } from "../commentary/Generation.ts"
import { SimulatedCreators } from "../sandbox/SimulatedCreators.ts"
import { isSimulatedStepDue } from "../sandbox/Simulation.ts"
import { calculateLatestPlausibleDueTimes, makePeriodicRepair } from "../shared/DueTimes.ts"
import type { ShareId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import { Policy } from "../shared/Policy.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { AssignmentStore, type OrganizationDueAssignments } from "../topic/AssignmentStore.ts"
import { isGenerationStalled } from "../topic/Workflow.ts"

/** The result of a due step. */
export interface WakeResult {
  /** True if the step changed the assignment. */
  readonly woke: boolean
  readonly begun: Option.Option<DraftJob>
  /** True if generation ended because the last attempt had no result when its lease ended. */
  readonly lostLastAttempt: boolean
}

export class DueAssignments extends Context.Service<
  DueAssignments,
  {
    /** Runs the due step of one assignment. If `mayBegin` is false, a due generation attempt is not started. */
    readonly wake: (id: ShareId, mayBegin: boolean) => Effect.Effect<WakeResult>
    /**
     * Finds up to `limit` due assignments, grouped by organization. Each organization gets a fair share of the limit.
     * If `mayBegin` is false, the result omits assignments for which only a generation attempt is due.
     */
    readonly due: (
      environment: Environment,
      limit: number,
      mayBegin: boolean
    ) => Effect.Effect<ReadonlyArray<OrganizationDueAssignments>>
    readonly nextDue: (environment: Environment) => Effect.Effect<Option.Option<Instant.Instant>>
  }
>()("@partner-commentary/core/operations/DueAssignments") {
  static readonly layer = Layer.effect(
    DueAssignments,
    Effect.gen(function* () {
      const store = yield* AssignmentStore
      const policy = yield* Policy
      const signal = yield* WorkSignal
      const simulated = yield* SimulatedCreators
      /**
       * Repairs one batch of due times that a fast clock set too late. One batch of repairs covers live and test
       * assignments.
       */
      const check = yield* makePeriodicRepair(
        Effect.fnUntraced(function* (now) {
          const latest = calculateLatestPlausibleDueTimes(now, policy.lease, policy.generationRetries)
          const step = Instant.plus(now, policy.testPace)
          for (const id of yield* store.putOff(latest, step, repairedAtOnce))
            yield* store.modify(id, (present) => Result.succeed(repairDueTimes(present, latest, step)))
        })
      )

      return DueAssignments.of({
        wake: Effect.fn("DueAssignments.wake")(function* (id, mayBegin) {
          const now = yield* Instant.now
          const modified = yield* store.modify(id, (present) => {
            const change = Option.filter(
              runStep(present, now, policy),
              (next) => mayBegin || !startsGenerationAttempt(present, next.assignment)
            )
            return Result.succeed(Option.getOrElse(change, () => ({ assignment: present, notices: [] })))
          })
          if (Option.isNone(modified)) return unchanged
          const { after, before, topic, work } = modified.value
          if (after === before && isSimulatedStepDue(before, now))
            return { ...unchanged, woke: yield* simulated.act(id) }
          yield* signal.tell(work)
          const isStalledNow = !isGenerationStalled(before) && isGenerationStalled(after)
          if (isStalledNow) yield* reportNoAttemptLeft(before)
          return {
            woke: after !== before,
            begun: startsGenerationAttempt(before, after) ? Option.some({ assignment: after, topic }) : Option.none(),
            lostLastAttempt: isStalledNow && before.generation.running
          }
        }),
        due: (environment, limit, mayBegin) =>
          Effect.flatMap(Instant.now, (now) =>
            Effect.andThen(check(now), store.due(environment, now, limit, mayBegin))
          ),
        nextDue: (environment) => store.nextDue([environment])
      })
    })
  )
}

const unchanged: WakeResult = { woke: false, begun: Option.none(), lostLastAttempt: false }

/** Maximum number of due times that one run repairs. Later runs repair the remaining due times. */
const repairedAtOnce = 500
