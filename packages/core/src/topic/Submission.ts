/**
 * A topic that is being submitted: the licensed personas, the assignments to create, and the result for each requested
 * persona.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Persona } from "../persona/Persona.ts"
import type { SimulationPath } from "../persona/TestPersonas.ts"
import { simulationPathFor } from "../persona/TestPersonas.ts"
import { PersonaId, ShareId, TopicId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import type { Policy } from "../shared/Policy.ts"
import type { Quotas } from "../usage/Quota.ts"
import type { Assignment, Simulation } from "./Assignment.ts"
import { nextDueAt } from "./NextDueAt.ts"
import type { TestStorageAmount } from "./TestStorage.ts"
import type { Topic } from "./Topic.ts"
import { deadlineAfterMailFailure } from "./Workflow.ts"

/** Everything that the store needs to decide and write a submission in one transaction. */
export interface Submission {
  readonly topic: Omit<Topic, "status" | "counts">
  /** The requested personas in the partner's order, with repetitions. */
  readonly requested: ReadonlyArray<PersonaId>
  /** The licensed personas, each once, in the order of the request. */
  readonly candidates: ReadonlyArray<SubmissionCandidate>
  readonly fingerprint: string
  /** The end of the duplicate window that this submission opens. */
  readonly windowUntil: Instant.Instant
  readonly respondBy: Instant.Instant
  readonly isDeadlineFixed: boolean
  /** Null in the test environment, where no quota applies. */
  readonly quotas: Quotas | null
  /** The topic's size and the organization's limits in the test environment; null in the live environment. */
  readonly storage: { readonly bytes: number; readonly limits: TestStorageAmount } | null
  /** The time at which the simulated creators take their first step; null in the live environment. */
  readonly actsAt: Instant.Instant | null
}

export interface SubmissionCandidate {
  readonly shareId: ShareId
  readonly persona: Persona
}

/** The ids of a topic and of one assignment in it. */
export const AssignmentReference = Schema.Struct({ topicId: TopicId, shareId: ShareId })
export type AssignmentReference = typeof AssignmentReference.Type

export const SubmissionResult = Schema.Struct({
  personaId: PersonaId,
  status: Schema.Literals(["sent", "not_licensed", "duplicate"]),
  /** The assignment's id, if the topic was sent to this persona. */
  shareId: Schema.NullOr(ShareId),
  /** The earlier submission, if this submission is a duplicate. */
  duplicateOf: Schema.NullOr(AssignmentReference)
})
export type SubmissionResult = typeof SubmissionResult.Type

/** No requested persona can receive the topic. Nothing was stored. */
export class NoValidPersonas extends Schema.TaggedError<NoValidPersonas>()("NoValidPersonas", {
  results: Schema.Array(SubmissionResult)
}) {}

/** Returns the result for each requested persona, given the holder of each candidate's duplicate window. */
export const resultsOf = (
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

/** Returns the assignments of the candidates whose duplicate window this submission holds. */
export const newAssignmentsOf = (
  submission: Submission,
  holders: ReadonlyMap<PersonaId, AssignmentReference>
): ReadonlyArray<Assignment> =>
  submission.candidates
    .filter(({ persona, shareId }) => holders.get(persona.id)?.shareId === shareId)
    .map((candidate, position) => assignment(submission, candidate, position))

const assignment = (
  { actsAt, isDeadlineFixed, respondBy, topic }: Submission,
  { persona, shareId }: SubmissionCandidate,
  position: number
): Assignment => {
  const sent: Assignment = {
    id: shareId,
    topicId: topic.id,
    organizationId: topic.organizationId,
    environment: topic.environment,
    position,
    persona: { id: persona.id, name: persona.name, imageUrl: persona.imageUrl },
    // The test environment neither shows nor mails the human creator.
    creator: topic.environment === "test" ? { name: "", email: "" } : persona.creator,
    createdAt: topic.createdAt,
    status: "topic_sent",
    statusUpdatedAt: topic.createdAt,
    // The test environment sends no mail, so the window opens at once.
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
    simulation: actsAt === null ? null : simulation(simulationPathFor(persona.id, topic.content), actsAt),
    dueAt: null
  }
  return { ...sent, dueAt: nextDueAt(sent) }
}

const simulation = (path: SimulationPath, actsAt: Instant.Instant): Simulation => ({
  path,
  nextAt: path === "wait" ? null : actsAt
})

/**
 * Returns the response deadline before a mail was delivered. Delivery of the mail opens a full window; a permanent mail
 * failure sets another deadline.
 */
export const latestResponseDeadline = (
  environment: Environment,
  createdAt: Instant.Instant,
  policy: Policy
): Instant.Instant =>
  environment === "test"
    ? Instant.plus(createdAt, policy.responseWindow)
    : Math.max(Instant.plus(createdAt, policy.deliveryWindow), deadlineAfterMailFailure(createdAt, policy))

/** Returns the licensed personas, each once, in the order of the request. */
export const candidatesOf = (
  requested: ReadonlyArray<PersonaId>,
  licensed: ReadonlyArray<Persona>,
  shareIds: ReadonlyArray<ShareId>
): ReadonlyArray<SubmissionCandidate> => {
  const byId = new Map(licensed.map((persona) => [persona.id, persona]))
  const chosen = [...new Set(requested)].flatMap((id) => Option.toArray(Option.fromUndefinedOr(byId.get(id))))
  return chosen.flatMap((persona, index) => {
    const shareId = shareIds[index]
    return shareId === undefined ? [] : [{ persona, shareId }]
  })
}
