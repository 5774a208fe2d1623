/** Takes the steps of creators and workers on one assignment. Each step writes directly to the AssignmentStore. */
import {
  applyGeneratedDraft,
  applyGenerationFailure,
  findDueStep
} from "@partner-commentary/core/commentary/Generation"
import type { ShareId } from "@partner-commentary/core/shared/Ids"
import { type Instant, now } from "@partner-commentary/core/shared/Instant"
import { defaults } from "@partner-commentary/core/shared/Policy"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import * as Workflow from "@partner-commentary/core/topic/Workflow"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { makeCommentaryId, makeDraftId } from "./Fixtures.ts"

type Decide<E> = (present: Assignment, at: Instant) => Result.Result<Workflow.AssignmentChange, E>

const step = <E>(decide: Decide<E>) =>
  Effect.fnUntraced(function* (id: ShareId) {
    const store = yield* AssignmentStore
    const at = yield* now
    const modified = yield* store.modify(id, (present) => decide(present, at))
    return Option.getOrThrow(modified).after
  })

/**
 * Records in the assignment that its request mail was delivered. The function does not change the row of the request
 * mail.
 */
export const deliverRequest = step((present, at) => {
  const { assignment, notices } = Workflow.recordRequestMailDelivery(
    present,
    { id: "mail", attempts: 1, ticket: 1 },
    at,
    defaults
  )
  return Result.succeed({ assignment, notices })
})
export const submitPerspective = step((present, at) =>
  Workflow.respond(present, { perspective: "The keeper decides it." }, at)
)
export const decline = step((present, at) => Workflow.decline(present, { reason: "Not my sport." }, at))
export const withdraw = step((present, at) => Workflow.withdraw(present, { reason: null }, at))
export const cancel = step((present, at) => Result.succeed(Workflow.cancel(present, { by: "key" }, at)))
export const approve = step((present, at) =>
  Workflow.approve(
    present,
    { draftId: present.draft?.id ?? null, content: null, commentaryId: makeCommentaryId(), contentHash: "hash" },
    at
  )
)
export const revise = step((present, at) =>
  Workflow.requestRevision(present, { draftId: present.draft?.id ?? null, instructions: "Shorter." }, at, defaults)
)
/** Restarts the generation after all its attempts failed. */
export const restart = step((present, at) => Workflow.restartGeneration(present, at, "creator.restarted"))
/** Runs the due step of the assignment, if there is one. */
export const runDueStep = step((present, at) =>
  Result.succeed(Option.getOrElse(findDueStep(present, at, defaults), () => ({ assignment: present, notices: [] })))
)
/** Returns the ticket, which is the number of the current draft attempt. If no attempt has started, the ticket is 1. */
const ticketOf = ({ generation }: Assignment) => Math.max(1, generation.ticket)

export const completeDraft = step((present, at) =>
  Result.succeed(
    applyGeneratedDraft(
      present,
      { ticket: ticketOf(present), draftId: makeDraftId(), content: "It will be the keeper." },
      at,
      defaults
    )
  )
)
export const failAttempt = step((present, at) =>
  Result.succeed(applyGenerationFailure(present, { ticket: ticketOf(present), permanent: true }, at, defaults))
)
/** Fails the current attempt temporarily, so that a retry follows. */
export const failAttemptTemporarily = step((present, at) =>
  Result.succeed(applyGenerationFailure(present, { ticket: ticketOf(present), permanent: false }, at, defaults))
)

/**
 * Changes an assignment without a workflow transition. A change without a workflow transition is allowed at any time.
 */
export const changeCreatorName = step((present) =>
  Result.succeed(Workflow.makeChange({ ...present, creator: { ...present.creator, name: `${present.creator.name}.` } }))
)

/** Takes all steps from the request to a draft that waits for approval. */
export const respondAndDraft = (id: ShareId) =>
  submitPerspective(id).pipe(Effect.andThen(runDueStep(id)), Effect.andThen(completeDraft(id)))
