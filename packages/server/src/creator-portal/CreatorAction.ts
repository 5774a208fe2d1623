/** Defines the actions of a creator's page, and maps each action to its text field and its use case. */
import type {
  CreatorPortal,
  CreatorRequestCredential,
  InvalidTextLength,
  LinkInvalid
} from "@partner-commentary/core/creator/CreatorPortal"
import * as Ids from "@partner-commentary/core/shared/Ids"
import { DraftId } from "@partner-commentary/core/shared/Ids"
import type { AssignmentWithTopic } from "@partner-commentary/core/topic/AssignmentStore"
import type { ActionRefused } from "@partner-commentary/core/topic/Workflow"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type CreatorActionFieldName, type CreatorActionFields, MalformedCreatorInput } from "./CreatorInput.ts"

export const creatorActions = ["respond", "decline", "approve", "revise", "withdraw"] as const
export type CreatorAction = (typeof creatorActions)[number]

/** Maps each action to the name of its text field. */
export const textFieldNameByAction = {
  respond: "perspective",
  decline: "reason",
  approve: "content",
  revise: "instructions",
  withdraw: "reason"
} as const satisfies Readonly<Record<CreatorAction, CreatorActionFieldName>>

export const isCreatorAction = (name: string): name is CreatorAction => creatorActions.some((action) => action === name)

export const performCreatorAction = (
  portal: CreatorPortal["Service"],
  access: CreatorRequestCredential,
  action: CreatorAction,
  fields: CreatorActionFields
): Effect.Effect<AssignmentWithTopic, LinkInvalid | InvalidTextLength | ActionRefused | MalformedCreatorInput> => {
  const { content = null, instructions = "", perspective = "", reason = "" } = fields
  if (action === "respond") return portal.respond(access, { perspective })
  if (action === "decline") return portal.decline(access, { reason })
  if (action === "withdraw") return portal.withdraw(access, { reason })
  return Effect.flatMap(readDraftId(fields.draft_id), (draftId) =>
    action === "approve"
      ? portal.approve(access, { draftId, content })
      : portal.revise(access, { draftId, instructions })
  )
}

const readDraftId = (text: string | undefined): Effect.Effect<DraftId | null, MalformedCreatorInput> => {
  if (text === undefined) return Effect.succeed(null)
  const parsed = Ids.parse(DraftId, text)
  return Option.isSome(parsed)
    ? Effect.succeed(parsed.value)
    : Effect.fail(new MalformedCreatorInput({ field: "draft_id", constraint: "must be a UUID", isTooLarge: false }))
}
