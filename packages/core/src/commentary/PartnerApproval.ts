/**
 * Records that a partner accepted an approved commentary for publication. The partner's acceptance does not change the
 * status of the assignment. A repeated acceptance changes nothing.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Principal } from "../access/ApiKeys.ts"
import type { CommentaryId, TopicId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import * as LogContext from "../shared/LogContext.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import type { ApprovedCommentary, Assignment } from "../topic/Assignment.ts"
import { AssignmentStore } from "../topic/AssignmentStore.ts"
import * as SignaledChange from "../topic/SignaledChange.ts"
import { TopicStore } from "../topic/TopicStore.ts"
import { TopicNotFound } from "../topic/Topics.ts"
import { type AssignmentChange, makeChange } from "../topic/Workflow.ts"

/** The topic has no approved commentary with this id. */
export class CommentaryNotFound extends Schema.TaggedError<CommentaryNotFound>()("CommentaryNotFound", {}) {}

/** Stores the time of the first acceptance. A later acceptance does not change the stored time. */
export const acceptForPublication = (
  present: Assignment,
  action: { readonly commentaryId: CommentaryId; readonly by: string },
  now: Instant.Instant
): Result.Result<AssignmentChange, CommentaryNotFound> => {
  const { commentary } = present
  if (commentary?.id !== action.commentaryId) return Result.fail(new CommentaryNotFound())
  if (commentary.partnerApprovedAt !== null) return Result.succeed({ assignment: present, notices: [] })
  return Result.succeed(
    makeChange(
      { ...present, commentary: { ...commentary, partnerApprovedAt: now } },
      { audit: { action: "partner.approved", details: { by: action.by, commentary_id: commentary.id } } }
    )
  )
}

export interface PartnerApprovedCommentary extends Pick<Assignment, "id" | "persona"> {
  readonly commentary: ApprovedCommentary & { readonly partnerApprovedAt: Instant.Instant }
}

export interface ApprovingPartner extends Pick<Principal, "environment" | "organization"> {
  /** The API key of the partner; null if the embedding application approves without an API key. */
  readonly key: Pick<Principal["key"], "id"> | null
}

export class PartnerApproval extends Context.Service<
  PartnerApproval,
  {
    /**
     * Returns the commentary with the time of the first acceptance. `approve` checks the topic first, so that the error
     * reveals nothing about topics of other organizations. `commentaryId` is null when the URL path contains no valid
     * id.
     */
    readonly approve: (
      approver: ApprovingPartner,
      topicId: TopicId,
      commentaryId: CommentaryId | null
    ) => Effect.Effect<PartnerApprovedCommentary, TopicNotFound | CommentaryNotFound>
  }
>()("@partner-commentary/core/commentary/PartnerApproval") {
  static readonly layer = Layer.effect(
    PartnerApproval,
    Effect.gen(function* () {
      const topics = yield* TopicStore
      const modify = SignaledChange.makeSignalingModify(yield* AssignmentStore, yield* WorkSignal)
      return PartnerApproval.of({
        approve: Effect.fnUntraced(function* ({ environment, key, organization }, topicId, commentaryId) {
          yield* LogContext.addLogContextToSpan({ topicId })
          const topic = yield* topics.find({ organizationId: organization.id, environment }, topicId)
          if (Option.isNone(topic)) return yield* new TopicNotFound()
          const found = topic.value.assignments.find(({ commentary }) => commentary?.id === commentaryId)
          if (found === undefined || commentaryId === null) return yield* new CommentaryNotFound()
          const again = toPartnerApprovedCommentary(found)
          if (again !== null) return again
          const now = yield* Instant.now
          const by = key === null ? "operator" : `key ${key.id}`
          const modified = yield* modify(found.id, (present) =>
            acceptForPublication(present, { commentaryId, by }, now)
          )
          const accepted = Option.isNone(modified) ? null : toPartnerApprovedCommentary(modified.value.after)
          return accepted ?? (yield* new CommentaryNotFound())
        })
      })
    })
  )
}

const toPartnerApprovedCommentary = ({
  commentary,
  id,
  persona
}: Pick<Assignment, "id" | "persona" | "commentary">): PartnerApprovedCommentary | null => {
  const partnerApprovedAt = commentary?.partnerApprovedAt ?? null
  return commentary === null || partnerApprovedAt === null
    ? null
    : { id, persona, commentary: { ...commentary, partnerApprovedAt } }
}
