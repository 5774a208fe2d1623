/**
 * Acts for the human creators in the test environment. A simulated creator takes each step when the step is due, or
 * earlier at a partner's request.
 */
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Principal } from "../access/ApiKeys.ts"
import { composeLocalCommentary } from "../commentary/LocalCommentary.ts"
import * as Ids from "../shared/Ids.ts"
import { CommentaryId, DraftId, type ShareId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { Policy } from "../shared/Policy.ts"
import { hashSha256Hex } from "../shared/Secret.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import type { Assignment } from "../topic/Assignment.ts"
import { AssignmentNotFound } from "../topic/AssignmentNotFound.ts"
import { AssignmentStore, type AssignmentWithTopic } from "../topic/AssignmentStore.ts"
import * as SignaledChange from "../topic/SignaledChange.ts"
import type { ActionRefused, AssignmentChange } from "../topic/Workflow.ts"
import {
  findNextSimulatedAction,
  isSimulatedStepDue,
  type SimulatedAction,
  type SimulatedStepData,
  takeSimulatedStep
} from "./Simulation.ts"

export class SimulatedCreators extends Context.Service<
  SimulatedCreators,
  {
    /** Takes the simulated creator's next step if the step is due. Returns whether a step was taken. */
    readonly act: (id: ShareId) => Effect.Effect<boolean>
    /**
     * Takes the given step now; null means the simulated creator's next step. With a live key, or a key of another
     * organization, `advance` fails with AssignmentNotFound.
     */
    readonly advance: (
      principal: Principal,
      id: ShareId,
      action: SimulatedAction | null
    ) => Effect.Effect<Assignment, AssignmentNotFound | ActionRefused>
  }
>()("@partner-commentary/core/sandbox/SimulatedCreators") {
  static readonly layer = Layer.effect(
    SimulatedCreators,
    Effect.gen(function* () {
      const store = yield* AssignmentStore
      const policy = yield* Policy
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom
      const modify = SignaledChange.makeSignalingModify(store, yield* WorkSignal)

      const props = Effect.fnUntraced(function* ({ assignment, topic }: AssignmentWithTopic) {
        const { draft, persona } = assignment
        const content =
          draft?.content ??
          composeLocalCommentary({
            persona: { name: persona.name, bio: "", expertise: [] },
            topic: topic.content,
            perspective
          })
        return {
          perspective,
          content,
          contentHash: yield* hashSha256Hex(digest, content),
          draftId: yield* Ids.make(DraftId, random),
          commentaryId: yield* Ids.make(CommentaryId, random)
        } satisfies SimulatedStepData
      })

      const unchanged = (assignment: Assignment) => Result.succeed<AssignmentChange>({ assignment, notices: [] })

      return SimulatedCreators.of({
        act: Effect.fn("SimulatedCreators.act")(
          function* (id) {
            const found = yield* store.find(id)
            if (Option.isNone(found)) return false
            const made = yield* props(found.value)
            const now = yield* Instant.now
            const modified = yield* modify(id, (present) => {
              const action = isSimulatedStepDue(present, now) ? findNextSimulatedAction(present) : undefined
              return action === undefined
                ? unchanged(present)
                : Result.map(takeSimulatedStep(present, action, made, now, policy), (change) =>
                    by(change, "simulated creator")
                  )
            })
            if (Option.isNone(modified)) return false
            const { after, before } = modified.value
            return after !== before
          },
          Effect.catchTag("ActionRefused", () => Effect.succeed(false))
        ),

        advance: Effect.fn("SimulatedCreators.advance")(function* ({ environment, key, organization }, id, action) {
          const found = environment === "test" ? yield* store.find(id) : Option.none<AssignmentWithTopic>()
          const isOwn = Option.exists(
            found,
            ({ assignment }) => assignment.environment === "test" && assignment.organizationId === organization.id
          )
          if (Option.isNone(found) || !isOwn) return yield* new AssignmentNotFound()
          const made = yield* props(found.value)
          const now = yield* Instant.now
          const modified = yield* modify(id, (present) =>
            Result.map(
              // An assignment without a next action has ended and rejects every action, for example `respond`.
              takeSimulatedStep(present, action ?? findNextSimulatedAction(present) ?? "respond", made, now, policy),
              (change) => by(change, `key ${key.id}`)
            )
          )
          if (Option.isNone(modified)) return yield* new AssignmentNotFound()
          return modified.value.after
        })
      })
    })
  )
}

const perspective =
  "This opinion comes from the test environment, where a simulated creator answers in a human one's place. " +
  "It takes the optimistic side, keeps to the point, and is the same every time."

/** Adds the actor of the change to the audit entry. */
const by = (change: AssignmentChange, whom: string): AssignmentChange =>
  change.audit === undefined
    ? change
    : { ...change, audit: { ...change.audit, details: { by: whom, ...change.audit.details } } }
