/** A creator portal over one assignment in memory, with the real workflow. The fake counts writes. */
import {
  CreatorPortal,
  InvalidTextLength,
  LinkInvalid,
  textLengths
} from "@partner-commentary/core/creator/CreatorPortal"
import { DatabaseBusy } from "@partner-commentary/core/shared/DatabaseBusy"
import * as Ids from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { defaults } from "@partner-commentary/core/shared/Policy"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import type { ActionRefused, Change } from "@partner-commentary/core/topic/Workflow"
import * as Workflow from "@partner-commentary/core/topic/Workflow"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Result from "effect/Result"
import { topic, uuid } from "./Samples.ts"

/** A token with dots and dashes, longer than a router's default limit. */
export const token = `aB3-_${"x".repeat(300)}.Zz9`
export const inboxToken = "d-token.sig"
export const brokenToken = "broken"
export const busyToken = "busy"
export const link = `https://partners.example/api/creator/${token}`

export const fakeCreatorPortal = (initial: Assignment) => {
  const state = { assignment: initial, writes: 0, deskMails: 0, further: 0 }
  const open = (given: string) =>
    given === brokenToken
      ? Effect.die(new Error(`lost database at ${brokenToken}`))
      : given === busyToken
        ? Effect.die(new Error("the statement failed", { cause: new DatabaseBusy("all 2 are in use") }))
        : given === token
          ? Effect.sync(() => ({ assignment: state.assignment, topic }))
          : Effect.fail(new LinkInvalid())
  const act = (
    given: string,
    texts: Partial<Record<InvalidTextLength["field"], string>>,
    decide: (now: Instant.Instant) => Result.Result<Change, ActionRefused>
  ) =>
    Effect.gen(function* () {
      for (const field of Object.keys(texts) as Array<InvalidTextLength["field"]>) {
        const { max, min } = textLengths[field]
        const length = Array.from(texts[field]!.trim()).length
        if (length < min || length > max) return yield* new InvalidTextLength({ field, min, max, length })
      }
      const { topic } = yield* open(given)
      const change = yield* Effect.fromResult(decide(yield* Instant.now))
      if (change.assignment !== state.assignment) state.writes++
      state.assignment = change.assignment
      return { assignment: change.assignment, topic }
    })
  const layer = Layer.succeed(
    CreatorPortal,
    CreatorPortal.of({
      isGenuine: (given) => Effect.succeed([token, inboxToken, brokenToken, busyToken].includes(given)),
      tokenOf: () => Effect.succeed(token),
      inboxTokenOf: () => Effect.succeed(inboxToken),
      view: open,
      respond: (given, { perspective }) =>
        act(given, { perspective }, (now) =>
          Workflow.respond(state.assignment, { perspective: perspective.trim() }, now)
        ),
      decline: (given, { reason }) =>
        act(given, { reason }, (now) => Workflow.decline(state.assignment, { reason: reason || null }, now)),
      approve: (given, { content, draftId }) =>
        act(given, content === null ? {} : { content }, (now) =>
          Workflow.approve(
            state.assignment,
            { draftId, content, commentaryId: Ids.CommentaryId.make(uuid(99)), contentHash: "" },
            now
          )
        ),
      revise: (given, { draftId, instructions }) =>
        act(given, { instructions }, (now) =>
          Workflow.revise(state.assignment, { draftId, instructions }, now, defaults)
        ),
      withdraw: (given, { reason }) =>
        act(given, { reason }, (now) => Workflow.withdraw(state.assignment, { reason: reason || null }, now)),
      mailInboxLink: (given) => Effect.asVoid(Effect.tap(open(given), () => Effect.sync(() => state.deskMails++))),
      openRequests: (given) =>
        given === inboxToken
          ? Effect.sync(() => ({ requests: [{ assignment: state.assignment, topic, link }], further: state.further }))
          : Effect.fail(new LinkInvalid())
    })
  )
  return { state, layer }
}
