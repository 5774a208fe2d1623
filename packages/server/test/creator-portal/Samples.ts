/** Contains a sample assignment in each state, and the data for rendering its page. */
import * as Ids from "@partner-commentary/core/shared/Ids"
import { defaults } from "@partner-commentary/core/shared/Policy"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import type { AssignmentWithTopic } from "@partner-commentary/core/topic/AssignmentStore"
import type { CreatorPageData } from "../../src/creator-portal/PageContent.ts"

export const makeUuid = (last: number) => `0198a000-0000-7000-8000-${String(last).padStart(12, "0")}`
export const hourInMillis = 3_600_000
/** The constant `noonInMillis` is Thursday 14 May 2026, 12:00 UTC. */
export const noonInMillis = 1_778_760_000_000

export const topic: AssignmentWithTopic["topic"] = {
  id: Ids.TopicId.make(makeUuid(1)),
  content:
    "Should video review be allowed to overturn a red card after the match has restarted? Two late decisions changed the table this weekend.",
  organizationName: "Touchline Daily"
}

export const perspective =
  "No. Once play restarts the decision has to stand, even if it is wrong.\n\nThe game needs an end to the argument. If the room has a doubt it should speak up before the restart; afterwards it should be silent. What fans hate is not the mistake, it is the ninety seconds of nobody knowing."

export const draftText =
  "Let it go. When the ball is rolling again the call is history, and history is not up for review.\n\nI know how that sounds to anyone who lost three points this weekend. But a sport that can be reopened at any minute is a sport nobody can celebrate in. The review room had its moment: between the whistle and the restart. Use it, or live with it.\n\nWrong decisions hurt. Endless ones hurt more."

export const assignmentAwaitingPerspective: Assignment = {
  id: Ids.ShareId.make(makeUuid(2)),
  topicId: topic.id,
  organizationId: Ids.OrganizationId.make(makeUuid(3)),
  environment: "live",
  position: 0,
  persona: { id: Ids.PersonaId.make(makeUuid(4)), name: "Jordan Vale", imageUrl: "https://images.example/jordan.png" },
  creator: { email: "sam@creators.example", name: "Sam" },
  createdAt: noonInMillis,
  status: "topic_sent",
  statusUpdatedAt: noonInMillis,
  notifiedAt: noonInMillis,
  respondBy: noonInMillis + 48 * hourInMillis,
  isDeadlineFixed: false,
  perspective: null,
  respondedAt: null,
  declineReason: null,
  generation: { ticket: 0, running: false, attempts: 0, nextAt: null, giveUpAt: null, revision: null },
  draft: null,
  firstDraftedAt: null,
  approveBy: null,
  reminders: 0,
  commentary: null,
  failure: null,
  withdrawReason: null,
  simulation: null,
  dueAt: null
}

export const assignmentWithPerspective: Assignment = {
  ...assignmentAwaitingPerspective,
  status: "opinion_injected",
  perspective,
  generation: {
    ...assignmentAwaitingPerspective.generation,
    ticket: 1,
    attempts: 1,
    nextAt: noonInMillis + hourInMillis
  }
}

export const assignmentWithExhaustedAttempts: Assignment = {
  ...assignmentWithPerspective,
  generation: {
    ...assignmentWithPerspective.generation,
    ticket: 5,
    attempts: 5,
    nextAt: null,
    giveUpAt: noonInMillis + 24 * hourInMillis
  }
}

export const assignmentWithDraft: Assignment = {
  ...assignmentWithPerspective,
  status: "commentary_generated",
  generation: { ...assignmentAwaitingPerspective.generation, ticket: 1 },
  draft: { id: Ids.DraftId.make(makeUuid(11)), number: 1, content: draftText, createdAt: noonInMillis },
  approveBy: noonInMillis + 7 * 24 * hourInMillis
}

/** An assignment with a second draft. */
export const assignmentWithSecondDraft: Assignment = {
  ...assignmentWithDraft,
  draft: { id: Ids.DraftId.make(makeUuid(12)), number: 2, content: `Shorter. ${draftText}`, createdAt: noonInMillis }
}

/** The creator has requested another draft, which has not been generated yet. */
export const assignmentWithRequestedRevision: Assignment = {
  ...assignmentWithDraft,
  generation: {
    ...assignmentWithDraft.generation,
    nextAt: noonInMillis + hourInMillis,
    revision: { draftId: Ids.DraftId.make(makeUuid(11)), instructions: "Shorter, and name the ninety seconds." }
  }
}

export const assignmentWithLastDraft: Assignment = {
  ...assignmentWithDraft,
  draft: { id: Ids.DraftId.make(makeUuid(20)), number: 10, content: draftText, createdAt: noonInMillis }
}

export const approvedAssignment: Assignment = {
  ...assignmentWithDraft,
  status: "creator_approved",
  commentary: {
    id: Ids.CommentaryId.make(makeUuid(30)),
    content: draftText,
    draftId: Ids.DraftId.make(makeUuid(11)),
    approvedAt: noonInMillis,
    partnerApprovedAt: null,
    audioUrl: null,
    videoUrl: null
  }
}

export const declinedAssignment: Assignment = {
  ...assignmentAwaitingPerspective,
  status: "declined",
  declineReason: "I do not comment on refereeing.",
  failure: { reason: "declined", at: noonInMillis }
}

export const expiredAssignment: Assignment = {
  ...assignmentAwaitingPerspective,
  status: "expired",
  failure: { reason: "expired", at: noonInMillis }
}

export const withdrawnAssignment: Assignment = {
  ...assignmentWithDraft,
  failure: { reason: "withdrawn", at: noonInMillis }
}

const timedOutAssignment: Assignment = {
  ...assignmentWithDraft,
  failure: { reason: "approval_timeout", at: noonInMillis }
}

const assignmentWithFailedGeneration: Assignment = {
  ...assignmentWithPerspective,
  failure: { reason: "generation_failed", at: noonInMillis }
}

export const assignmentsByState = {
  topicSent: assignmentAwaitingPerspective,
  opinionInjected: assignmentWithPerspective,
  stalled: assignmentWithExhaustedAttempts,
  commentaryGenerated: assignmentWithDraft,
  revised: assignmentWithSecondDraft,
  revisionRequested: assignmentWithRequestedRevision,
  lastDraft: assignmentWithLastDraft,
  approved: approvedAssignment,
  declined: declinedAssignment,
  expired: expiredAssignment,
  withdrawn: withdrawnAssignment,
  timedOut: timedOutAssignment,
  neverWritten: assignmentWithFailedGeneration
}

export const makeCreatorPageData = (assignment: Assignment, more: Partial<CreatorPageData> = {}): CreatorPageData => ({
  assignment,
  topic,
  address: "/creator/token",
  now: noonInMillis,
  maxDrafts: 10,
  readingWindow: defaults.readingWindow,
  refusal: null,
  inboxMailed: false,
  ...more
})
