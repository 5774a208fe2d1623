/**
 * Provides a fake creator portal for one assignment in memory, with the real workflow. The fake portal counts writes.
 */
import {
  CreatorPortal,
  type CreatorRequestCredential,
  creatorTextLengthLimits,
  InvalidTextLength,
  LinkInvalid
} from "@partner-commentary/core/creator/CreatorPortal"
import { DatabaseBusy } from "@partner-commentary/core/shared/DatabaseBusy"
import * as Ids from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { defaults } from "@partner-commentary/core/shared/Policy"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import type { ActionRefused, AssignmentChange } from "@partner-commentary/core/topic/Workflow"
import * as Workflow from "@partner-commentary/core/topic/Workflow"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import { makeUuid, topic } from "./Samples.ts"

/** A token that has dots and dashes, and exceeds a router's default limit for path parameters. */
export const creatorLinkToken = `aB3-_${"x".repeat(300)}.Zz9`
export const inboxToken = "d-token.sig"
export const tokenCausingDefect = "broken"
export const tokenCausingBusyDatabase = "busy"
export const creatorLinkUrl = `https://partners.example/api/creator/${creatorLinkToken}`

/** The pages identify a request only by the token of a link. */
const tokenOf = (access: { readonly token: string } | { readonly email: string }) =>
  "token" in access ? access.token : tokenCausingDefect

export const makeFakeCreatorPortal = (initial: Assignment) => {
  const state = { assignment: initial, writes: 0, deskMails: 0, further: 0 }
  const open = (given: string) =>
    given === tokenCausingDefect
      ? Effect.die(new Error(`lost database at ${tokenCausingDefect}`))
      : given === tokenCausingBusyDatabase
        ? Effect.die(new Error("the statement failed", { cause: new DatabaseBusy("all 2 are in use") }))
        : given === creatorLinkToken
          ? Effect.sync(() => ({ assignment: state.assignment, topic }))
          : Effect.fail(new LinkInvalid())
  const act = (
    access: CreatorRequestCredential,
    texts: Partial<Record<InvalidTextLength["field"], string>>,
    decide: (now: Instant.Instant) => Result.Result<AssignmentChange, ActionRefused>
  ) =>
    Effect.gen(function* () {
      for (const field of Object.keys(texts) as Array<InvalidTextLength["field"]>) {
        const { max, min } = creatorTextLengthLimits[field]
        const length = Array.from(texts[field]!.trim()).length
        if (length < min || length > max) return yield* new InvalidTextLength({ field, min, max, length })
      }
      const { topic } = yield* open(tokenOf(access))
      const change = yield* Effect.fromResult(decide(yield* Instant.now))
      if (change.assignment !== state.assignment) state.writes++
      state.assignment = change.assignment
      return { assignment: change.assignment, topic }
    })
  const layer = Layer.succeed(
    CreatorPortal,
    CreatorPortal.of({
      isGenuine: (given) =>
        Effect.succeed([creatorLinkToken, inboxToken, tokenCausingDefect, tokenCausingBusyDatabase].includes(given)),
      view: (access) => open(tokenOf(access)),
      respond: (access, { perspective }) =>
        act(access, { perspective }, (now) =>
          Workflow.respond(state.assignment, { perspective: perspective.trim() }, now)
        ),
      decline: (access, { reason }) =>
        act(access, { reason }, (now) => Workflow.decline(state.assignment, { reason: reason || null }, now)),
      approve: (access, { content, draftId }) =>
        act(access, content === null ? {} : { content }, (now) =>
          Workflow.approve(
            state.assignment,
            { draftId, content, commentaryId: Ids.CommentaryId.make(makeUuid(99)), contentHash: "" },
            now
          )
        ),
      revise: (access, { draftId, instructions }) =>
        act(access, { instructions }, (now) =>
          Workflow.requestRevision(state.assignment, { draftId, instructions }, now, defaults)
        ),
      withdraw: (access, { reason }) =>
        act(access, { reason }, (now) => Workflow.withdraw(state.assignment, { reason: reason || null }, now)),
      mailInboxLink: (given) => Effect.asVoid(Effect.tap(open(given), () => Effect.sync(() => state.deskMails++))),
      openRequests: (access) =>
        tokenOf(access) === inboxToken
          ? Effect.sync(() => ({
              requests: [{ assignment: state.assignment, topic, link: creatorLinkUrl }],
              further: state.further
            }))
          : Effect.fail(new LinkInvalid())
    })
  )
  return { state, layer }
}
