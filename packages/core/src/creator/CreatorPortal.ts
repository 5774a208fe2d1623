/**
 * Creators view, answer or decline requests. Creators approve drafts, ask for other drafts, and withdraw from requests.
 */

import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { maxCommentaryLength } from "../commentary/CommentaryGenerator.ts"
import * as MediaWorker from "../commentary/MediaWorker.ts"
import { CreatorLinks } from "../mail/CreatorLinks.ts"
import { MailStore } from "../mail/MailStore.ts"
import * as Ids from "../shared/Ids.ts"
import { CommentaryId, type DraftId, type ShareId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { Policy } from "../shared/Policy.ts"
import { hashSha256Hex } from "../shared/Secret.ts"
import { cleanText, countCodePoints } from "../shared/Text.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { type Assignment, findSettlementTime } from "../topic/Assignment.ts"
import { AssignmentStore, type AssignmentWithTopic, type OpenCreatorAssignments } from "../topic/AssignmentStore.ts"
import * as SignaledChange from "../topic/SignaledChange.ts"
import * as Workflow from "../topic/Workflow.ts"
import { ActionRefused, type AssignmentChange } from "../topic/Workflow.ts"

/**
 * The link is forged, mistyped or expired, the creator's address has changed since, or the request is no longer
 * readable. `LinkInvalid` does not reveal why the link is invalid.
 */
export class LinkInvalid extends Schema.TaggedError<LinkInvalid>()("LinkInvalid", {}) {}

/**
 * The creator's text is too short or too long. The length of the text is measured in code points after normalization.
 */
export class InvalidTextLength extends Schema.TaggedError<InvalidTextLength>()("TextLength", {
  field: Schema.Literals(["perspective", "reason", "content", "instructions"]),
  min: Schema.Int,
  max: Schema.Int,
  length: Schema.Int
}) {}

export const creatorTextLengthLimits = {
  perspective: { min: 10, max: 5000 },
  content: { min: 1, max: maxCommentaryLength },
  reason: { min: 0, max: 1000 },
  instructions: { min: 0, max: 2000 }
} as const

/** Maximum number of open requests on an inbox page. */
const shownAtOnce = 100

export interface OpenCreatorRequests extends Pick<OpenCreatorAssignments, "further"> {
  /** The open requests, oldest first. */
  readonly requests: ReadonlyArray<AssignmentWithTopic & { readonly link: string }>
}

/**
 * A creator opens a request with the token of a link. An application that has authenticated the creator passes the
 * creator's address and the request's id instead of a token.
 */
export type CreatorRequestCredential =
  | { readonly token: string }
  | { readonly email: string; readonly shareId: ShareId }

/**
 * A creator opens the inbox with the token of an inbox link. An application that has authenticated the creator passes
 * the creator's address instead of a token.
 */
export type CreatorInboxCredential = { readonly token: string } | { readonly email: string }

type Acted = Effect.Effect<AssignmentWithTopic, LinkInvalid | InvalidTextLength | ActionRefused>

export class CreatorPortal extends Context.Service<
  CreatorPortal,
  {
    /** Returns true for a token with a valid signature that has not expired. `isGenuine` needs no database query. */
    readonly isGenuine: (token: string) => Effect.Effect<boolean>
    readonly view: (access: CreatorRequestCredential) => Effect.Effect<AssignmentWithTopic, LinkInvalid>
    readonly respond: (access: CreatorRequestCredential, action: { readonly perspective: string }) => Acted
    readonly decline: (access: CreatorRequestCredential, action: { readonly reason: string }) => Acted
    /** Approves a draft. `content` is null for an unedited draft. `draftId` may be null until a second draft exists. */
    readonly approve: (
      access: CreatorRequestCredential,
      action: { readonly draftId: DraftId | null; readonly content: string | null }
    ) => Acted
    readonly revise: (
      access: CreatorRequestCredential,
      action: { readonly draftId: DraftId | null; readonly instructions: string }
    ) => Acted
    readonly withdraw: (access: CreatorRequestCredential, action: { readonly reason: string }) => Acted
    /**
     * Mails the creator a link to all open requests. A creator gets at most one inbox mail in each five-minute period
     * of the clock, such as 12:00 to 12:05.
     */
    readonly mailInboxLink: (token: string) => Effect.Effect<void, LinkInvalid>
    /** Returns at most `shownAtOnce` open requests of the creator, each with its own link. */
    readonly openRequests: (access: CreatorInboxCredential) => Effect.Effect<OpenCreatorRequests, LinkInvalid>
  }
>()("@partner-commentary/core/creator/CreatorPortal") {
  static readonly layer = Layer.effect(
    CreatorPortal,
    Effect.gen(function* () {
      const store = yield* AssignmentStore
      const mails = yield* MailStore
      const links = yield* CreatorLinks
      const policy = yield* Policy
      const digest = yield* Digest.Digest
      const random = yield* SecureRandom.SecureRandom
      const signal = yield* WorkSignal
      const modify = SignaledChange.makeSignalingModify(store, signal)
      const makeMediaRequests = yield* MediaWorker.makeMediaRequestFactory

      const readable = Effect.fnUntraced(function* (id: ShareId) {
        const found = yield* store.find(id)
        if (Option.isNone(found)) return yield* new LinkInvalid()
        const settled = findSettlementTime(found.value.assignment)
        if (settled !== null && (yield* Instant.now) >= Instant.plus(settled, policy.readingWindow))
          return yield* new LinkInvalid()
        return found.value
      })

      const openLink = Effect.fnUntraced(function* (token: string) {
        const link = yield* links.open(token)
        if (Option.isNone(link) || link.value.to !== "assignment") return yield* new LinkInvalid()
        const found = yield* readable(link.value.shareId)
        if (!(yield* links.isFor(link.value, found.assignment))) return yield* new LinkInvalid()
        return { ...found, creatorTag: link.value.creatorTag }
      })

      /** Returns the request's assignment and topic, and the actor's name for the audit log. */
      const open = Effect.fnUntraced(function* (access: CreatorRequestCredential) {
        if ("token" in access) {
          const { creatorTag, ...found } = yield* openLink(access.token)
          return { ...found, actor: `link of ${creatorTag}` }
        }
        const found = yield* readable(access.shareId)
        if (!isOfCreator(found.assignment, access.email)) return yield* new LinkInvalid()
        return { ...found, actor: "application" }
      })

      const inboxEmail = Effect.fnUntraced(function* (access: CreatorInboxCredential) {
        if ("email" in access) return access.email
        const link = yield* links.open(access.token)
        return Option.isSome(link) && link.value.to === "desk" ? link.value.email : yield* new LinkInvalid()
      })

      const act = (
        access: CreatorRequestCredential,
        decide: (present: Assignment, now: Instant.Instant) => Result.Result<AssignmentChange, ActionRefused>
      ) => Effect.flatMap(open(access), (opened) => actOn(opened, decide))

      const actOn = Effect.fnUntraced(function* (
        { actor, assignment, topic }: Effect.Success<ReturnType<typeof open>>,
        decide: (present: Assignment, now: Instant.Instant) => Result.Result<AssignmentChange, ActionRefused>
      ) {
        const now = yield* Instant.now
        const modified = yield* modify(
          assignment.id,
          (present): Result.Result<AssignmentChange, ActionRefused | LinkInvalid> =>
            // The operator may have changed or erased the creator's address since the assignment was read.
            isOfCreator(present, assignment.creator.email)
              ? Result.map(decide(present, now), (change) => namingActor(change, actor))
              : Result.fail(new LinkInvalid())
        )
        if (Option.isNone(modified)) return yield* new LinkInvalid()
        return { assignment: modified.value.after, topic }
      })

      return CreatorPortal.of({
        isGenuine: (token) => Effect.map(links.open(token), Option.isSome),

        view: (access) => Effect.map(open(access), ({ assignment, topic }) => ({ assignment, topic })),

        respond: Effect.fn("CreatorPortal.respond")(function* (access, action) {
          const perspective = yield* parseCreatorText("perspective", action.perspective)
          return yield* act(access, (present, now) => Workflow.respond(present, { perspective }, now))
        }),

        decline: Effect.fn("CreatorPortal.decline")(function* (access, action) {
          const reason = orNull(yield* parseCreatorText("reason", action.reason))
          return yield* act(access, (present, now) => Workflow.decline(present, { reason }, now))
        }),

        approve: Effect.fn("CreatorPortal.approve")(function* (access, action) {
          const content = action.content === null ? null : yield* parseCreatorText("content", action.content)
          const commentaryId = yield* Ids.make(CommentaryId, random)
          const seen = yield* open(access)
          const { draft, status } = seen.assignment
          if (draft === null) return yield* new ActionRefused({ reason: "not_allowed", status })
          const contentHash = yield* hashSha256Hex(digest, content ?? draft.content)
          const mediaRequests = yield* makeMediaRequests
          const { draftId } = action
          // The content hash belongs to the draft that was read here, so reject the approval if the draft has changed.
          return yield* actOn(seen, (present, now) =>
            present.draft?.id === draft.id
              ? Workflow.approve(present, { draftId, content, commentaryId, contentHash, mediaRequests }, now)
              : Result.fail(new ActionRefused({ reason: "stale_draft", status: present.status }))
          )
        }),

        revise: Effect.fn("CreatorPortal.revise")(function* (access, action) {
          const instructions = yield* parseCreatorText("instructions", action.instructions)
          const { draftId } = action
          return yield* act(access, (present, now) =>
            Workflow.requestRevision(present, { draftId, instructions }, now, policy)
          )
        }),

        withdraw: Effect.fn("CreatorPortal.withdraw")(function* (access, action) {
          const reason = orNull(yield* parseCreatorText("reason", action.reason))
          return yield* act(access, (present, now) => Workflow.withdraw(present, { reason }, now))
        }),

        mailInboxLink: Effect.fn("CreatorPortal.mailInboxLink")(function* (token) {
          const { assignment, creatorTag } = yield* openLink(token)
          const now = yield* Instant.now
          yield* mails.queue({
            id: `${creatorTag}.desk-${Instant.calculatePeriodNumber(now, inboxMailPeriod)}`,
            kind: "desk",
            shareId: null,
            organizationId: null,
            address: assignment.creator.email,
            createdAt: now
          })
          yield* signal.notify
        }),

        openRequests: Effect.fn("CreatorPortal.openRequests")(function* (access) {
          const { assignments, further } = yield* store.openOf(yield* inboxEmail(access), shownAtOnce)
          const requests = yield* Effect.forEach(assignments, (entry) =>
            Effect.map(links.toAssignment(entry.assignment), (own) => ({ ...entry, link: own }))
          )
          return { requests, further }
        })
      })
    })
  )
}

/**
 * A creator gets at most one inbox mail in each period of this length. The periods for inbox mails start at fixed clock
 * times.
 */
const inboxMailPeriod = Duration.minutes(5)

/** Normalizes the creator's text and checks its length. */
const parseCreatorText = (
  field: InvalidTextLength["field"],
  text: string
): Effect.Effect<string, InvalidTextLength> => {
  const { max, min } = creatorTextLengthLimits[field]
  const cleaned = cleanText(text)
  const length = countCodePoints(cleaned)
  return length < min || length > max
    ? Effect.fail(new InvalidTextLength({ field, min, max, length }))
    : Effect.succeed(cleaned)
}

const isOfCreator = ({ creator }: Assignment, email: string): boolean =>
  creator.email.toLowerCase() === email.toLowerCase()

const namingActor = (change: AssignmentChange, actor: string): AssignmentChange =>
  change.audit === undefined
    ? change
    : { ...change, audit: { ...change.audit, details: { by: actor, ...change.audit.details } } }

const orNull = (text: string): string | null => (text === "" ? null : text)
