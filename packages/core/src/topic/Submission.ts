/**
 * The submission of a topic: its licensed personas, its new assignments, and the result for each requested persona.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Persona } from "../persona/Persona.ts"
import { type SimulationPath, selectSimulationPath } from "../persona/TestPersonas.ts"
import { PersonaId, ShareId, TopicId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import type { Policy } from "../shared/Policy.ts"
import type { MonthlyQuotas } from "../usage/Quota.ts"
import { type Assignment, nextDueAt, type SimulationState } from "./Assignment.ts"
import type { TestStorageAmount } from "./TestStorage.ts"
import type { Topic } from "./Topic.ts"
import { calculateDeadlineAfterMailFailure } from "./Workflow.ts"

/** All data that the store needs to check and write a submission in one transaction. */
export interface Submission {
  readonly topic: Omit<Topic, "status" | "counts">
  /** The requested personas in the partner's order, including repetitions. */
  readonly requested: ReadonlyArray<PersonaId>
  /** The licensed personas without repetitions, in the order of the request. */
  readonly candidates: ReadonlyArray<CandidateRecipient>
  readonly fingerprint: string
  /** The end of the duplicate window that this submission opens. */
  readonly windowUntil: Instant.Instant
  readonly respondBy: Instant.Instant
  readonly isDeadlineFixed: boolean
  /** The organization's quotas; null in the test environment, where no quota applies. */
  readonly quotas: MonthlyQuotas | null
  /** In the test environment, the topic's size and the organization's storage limits; null in the live environment. */
  readonly storage: { readonly bytes: number; readonly limits: TestStorageAmount } | null
  /** The time of the simulated creators' first step; null in the live environment. */
  readonly actsAt: Instant.Instant | null
}

export interface CandidateRecipient {
  readonly shareId: ShareId
  readonly persona: Persona
}

/** The ids of a topic and of one of its assignments. */
export const AssignmentReference = Schema.Struct({ topicId: TopicId, shareId: ShareId })
export type AssignmentReference = typeof AssignmentReference.Type

export const SubmissionResult = Schema.Struct({
  personaId: PersonaId,
  status: Schema.Literals(["sent", "not_licensed", "duplicate"]),
  /** The id of the new assignment; null if the topic was not sent to this persona. */
  shareId: Schema.NullOr(ShareId),
  /** The topic and assignment of the earlier submission; null if this submission is not a duplicate. */
  duplicateOf: Schema.NullOr(AssignmentReference)
})
export type SubmissionResult = typeof SubmissionResult.Type

/**
 * The error when no requested persona can receive the topic. A submission that fails with `NoValidPersonas` stores
 * nothing.
 */
export class NoValidPersonas extends Schema.TaggedError<NoValidPersonas>()("NoValidPersonas", {
  results: Schema.Array(SubmissionResult)
}) {}

/**
 * Returns the result for each requested persona. `holders` maps each candidate to the assignment that holds the
 * candidate's duplicate window.
 */
export const makeSubmissionResults = (
  submission: Pick<Submission, "topic" | "requested" | "candidates">,
  holders: ReadonlyMap<PersonaId, AssignmentReference>
): ReadonlyArray<SubmissionResult> => {
  const seen = new Set<PersonaId>()
  return submission.requested.map((personaId) => {
    const holder = holders.get(personaId)
    if (holder === undefined) return { personaId, status: "not_licensed", shareId: null, duplicateOf: null }
    const sent = holder.topicId === submission.topic.id && !seen.has(personaId)
    seen.add(personaId)
    return sent
      ? { personaId, status: "sent", shareId: holder.shareId, duplicateOf: null }
      : { personaId, status: "duplicate", shareId: null, duplicateOf: holder }
  })
}

/** Returns the new assignments: one for each candidate whose duplicate window belongs to this submission. */
export const makeNewAssignments = (
  submission: Submission,
  holders: ReadonlyMap<PersonaId, AssignmentReference>
): ReadonlyArray<Assignment> =>
  submission.candidates
    .filter(({ persona, shareId }) => holders.get(persona.id)?.shareId === shareId)
    .map((candidate, position) => assignment(submission, candidate, position))

const assignment = (
  { actsAt, isDeadlineFixed, respondBy, topic }: Submission,
  { persona, shareId }: CandidateRecipient,
  position: number
): Assignment => {
  const sent: Assignment = {
    id: shareId,
    topicId: topic.id,
    organizationId: topic.organizationId,
    environment: topic.environment,
    position,
    persona: { id: persona.id, name: persona.name, imageUrl: persona.imageUrl },
    // Test assignments contain no data of the human creator, because the test environment neither shows nor mails the
    // creator.
    creator: topic.environment === "test" ? { name: "", email: "" } : persona.creator,
    createdAt: topic.createdAt,
    status: "topic_sent",
    statusUpdatedAt: topic.createdAt,
    // In the test environment, the response window starts at the submission, because no mail is sent.
    notifiedAt: topic.environment === "test" ? topic.createdAt : null,
    respondBy,
    isDeadlineFixed,
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
    simulation: actsAt === null ? null : simulation(selectSimulationPath(persona.id, topic.content), actsAt),
    dueAt: null
  }
  return { ...sent, dueAt: nextDueAt(sent) }
}

const simulation = (path: SimulationPath, actsAt: Instant.Instant): SimulationState => ({
  path,
  nextAt: path === "wait" ? null : actsAt
})

/**
 * Returns the response deadline that applies until the request mail is delivered or fails permanently. The delivery of
 * the request mail opens a full response window, and a permanent failure of the mail sets an earlier deadline.
 */
export const calculateInitialResponseDeadline = (
  environment: Environment,
  createdAt: Instant.Instant,
  policy: Policy
): Instant.Instant =>
  environment === "test"
    ? Instant.plus(createdAt, policy.responseWindow)
    : Math.max(Instant.plus(createdAt, policy.deliveryWindow), calculateDeadlineAfterMailFailure(createdAt, policy))

/** Returns the licensed personas in the order of the request, without repetitions. */
export const selectCandidateRecipients = (
  requested: ReadonlyArray<PersonaId>,
  licensed: ReadonlyArray<Persona>,
  shareIds: ReadonlyArray<ShareId>
): ReadonlyArray<CandidateRecipient> => {
  const byId = new Map(licensed.map((persona) => [persona.id, persona]))
  const chosen = [...new Set(requested)].flatMap((id) => Option.toArray(Option.fromUndefinedOr(byId.get(id))))
  return chosen.flatMap((persona, index) => {
    const shareId = shareIds[index]
    return shareId === undefined ? [] : [{ persona, shareId }]
  })
}
