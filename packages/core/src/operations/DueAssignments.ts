/**
 * Runs the timed steps of assignments. Timed steps are deadlines, reminders, steps of simulated creators and the starts
 * of generation attempts.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { DraftJob } from "../commentary/DraftWorker.ts"
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

export class DueAssignments extends Context.Service<
  DueAssignments,
  {
    /** Runs the due step of one assignment. If `mayBegin` is false, a due generation attempt is not started. */
    readonly wake: (
      id: ShareId,
      mayBegin: boolean
    ) => Effect.Effect<{ readonly woke: boolean; readonly begun: Option.Option<DraftJob> }>
    /**
     * Finds up to `limit` due assignments, grouped by organization. Each organization gets a fair share of the limit.
     */
    readonly due: (environment: Environment, limit: number) => Effect.Effect<ReadonlyArray<OrganizationDueAssignments>>
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
          if (Option.isNone(modified)) return { woke: false, begun: Option.none() }
          const { after, before, topic, work } = modified.value
          if (after === before && isSimulatedStepDue(before, now))
            return { woke: yield* simulated.act(id), begun: Option.none() }
          yield* signal.tell(work)
          return {
            woke: after !== before,
            begun: startsGenerationAttempt(before, after) ? Option.some({ assignment: after, topic }) : Option.none()
          }
        }),
        due: (environment, limit) =>
          Effect.flatMap(Instant.now, (now) => Effect.andThen(check(now), store.due(environment, now, limit))),
        nextDue: (environment) => store.nextDue([environment])
      })
    })
  )
}

/** Maximum number of due times that one run repairs. Later runs repair the remaining due times. */
const repairedAtOnce = 500
