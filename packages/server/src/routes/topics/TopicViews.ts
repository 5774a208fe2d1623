/** Maps topics from the values of the core to the fields of responses. */
import type * as CommentariesApi from "@partner-commentary/api/CommentariesApi"
import type { AssignmentFailure, Commentary } from "@partner-commentary/api/Fields"
import type { SimulatedAssignment } from "@partner-commentary/api/SandboxApi"
import type * as Api from "@partner-commentary/api/TopicsApi"
import type { PartnerApprovedCommentary } from "@partner-commentary/core/commentary/PartnerApproval"
import { listPossibleSimulatedActions } from "@partner-commentary/core/sandbox/Simulation"
import type { TopicId } from "@partner-commentary/core/shared/Ids"
import { toIso, toIsoOrNull } from "@partner-commentary/core/shared/Instant"
import type { ApprovedCommentary, Assignment } from "@partner-commentary/core/topic/Assignment"
import type { SubmissionResult } from "@partner-commentary/core/topic/Submission"
import type { Topic } from "@partner-commentary/core/topic/Topic"
import { findSummaryCategory, summarizeOutcomes } from "@partner-commentary/core/topic/TopicStatus"
import type {
  ListedTopic,
  PublicAssignment,
  TopicProgress,
  TopicsFoundByReference,
  TopicWithAssignments
} from "@partner-commentary/core/topic/TopicStore"

export const toSubmissionResult = ({ duplicateOf, personaId, shareId, status }: SubmissionResult) => ({
  persona_id: personaId,
  status,
  ...(shareId === null ? {} : { share_id: shareId }),
  ...(duplicateOf === null ? {} : { duplicate_of: { topic_id: duplicateOf.topicId, share_id: duplicateOf.shareId } })
})

export const toCreatedTopic = (
  topic: Topic,
  results: ReadonlyArray<SubmissionResult>,
  personasSent: number
): typeof Api.Topic.Type => ({
  topic_id: topic.id,
  ...toSubmittedFields(topic),
  ...webhookIds(topic),
  personas_sent: personasSent,
  results: results.map(toSubmissionResult),
  status: "pending",
  created_at: toIso(topic.createdAt)
})

export const toTopicProgress = (topic: TopicProgress): typeof Api.TopicProgress.Type => ({
  topic_id: topic.id,
  ...toSubmittedFields(topic),
  overall_status: topic.status,
  created_at: topic.createdAt,
  personas: topic.assignments.map((assignment) => ({
    share_id: assignment.id,
    persona_id: assignment.personaId,
    persona_name: assignment.personaName,
    status: assignment.status,
    status_updated_at: assignment.statusUpdatedAt,
    has_commentary: assignment.status === "creator_approved",
    failure:
      assignment.failureReason === null || assignment.failureAt === null
        ? null
        : { reason: assignment.failureReason, at: assignment.failureAt },
    expires_at: assignment.expiresAt
  })),
  summary: { total: topic.assignments.length, ...countByStatus(topic.assignments) }
})

const countByStatus = (assignments: TopicProgress["assignments"]) => {
  const counts = {
    topic_sent: 0,
    opinion_injected: 0,
    commentary_generated: 0,
    creator_approved: 0,
    declined: 0,
    expired: 0
  }
  for (const { status } of assignments) counts[status]++
  return counts
}

export const toTopicDetail = (
  { assignments, topic }: TopicWithAssignments,
  avatar: string
): typeof Api.TopicDetail.Type => ({
  topic_id: topic.id,
  ...toSubmittedFields(topic),
  ...webhookIds(topic),
  status: topic.status,
  created_at: toIso(topic.createdAt),
  commentaries: assignments.map((assignment) => entry(assignment, avatar)),
  summary: summarizeOutcomes(assignments)
})

export const toTopicCommentaries = (
  { assignments, topic }: TopicWithAssignments,
  avatar: string
): typeof Api.TopicCommentaries.Type => ({
  topic_id: topic.id,
  ...toSubmittedFields(topic),
  commentaries: assignments.flatMap(({ commentary, persona }) =>
    commentary === null
      ? []
      : {
          ...commentaryEntry(commentary, persona, avatar),
          partner_approved_at: toIsoOrNull(commentary.partnerApprovedAt)
        }
  )
})

export const toPartnerApprovedCommentary = (
  topicId: TopicId,
  { commentary, id, persona }: PartnerApprovedCommentary,
  avatar: string
): typeof CommentariesApi.PartnerApprovedCommentary.Type => ({
  ...commentaryEntry(commentary, persona, avatar),
  topic_id: topicId,
  share_id: id,
  partner_approved_at: toIso(commentary.partnerApprovedAt)
})

const commentaryEntry = (commentary: ApprovedCommentary, persona: PublicAssignment["persona"], avatar: string) => ({
  commentary_id: commentary.id,
  persona: { id: persona.id, name: persona.name, image_url: persona.imageUrl || avatar },
  content: commentary.content,
  audio_url: commentary.audioUrl,
  video_url: commentary.videoUrl,
  approved_at: toIso(commentary.approvedAt)
})

/**
 * Maps all topics with one external reference. The result has the newest topic's fields, and the entries of all topics
 * in order from the newest topic to the oldest.
 */
export const toReferenceLookup = (
  externalReference: string,
  { metadata, more, topics }: TopicsFoundByReference,
  avatar: string
): typeof Api.ReferenceLookup.Type => {
  const { topic: newest } = topics[0] as TopicsFoundByReference["topics"][number]
  return {
    external_reference: externalReference,
    topic_id: newest.id,
    content: newest.content,
    metadata,
    output_types: newest.outputTypes,
    commentaries: topics.flatMap(({ assignments, topic }) =>
      assignments.map((assignment) => ({
        ...entry(assignment, avatar),
        topic_id: topic.id,
        topic_content: topic.content,
        created_at: toIso(assignment.createdAt)
      }))
    ),
    summary: summarizeOutcomes(topics.flatMap(({ assignments }) => assignments)),
    truncated: more
  }
}

/** Returns the summary of a listed topic as an object. The content is the same as in `formatTopicSummaryJson`. */
export const toTopicSummary = (topic: ListedTopic): typeof Api.TopicSummary.Type =>
  JSON.parse(formatTopicSummaryJson(topic))

/**
 * Returns the JSON of a listed topic's summary. Metadata can be large, so the stored JSON of the metadata is copied
 * unparsed.
 */
export const formatTopicSummaryJson = (topic: ListedTopic): string => {
  const { approvedAssignments, content, createdAt, externalReference, id, metadata, outputTypes, status } = topic
  const reference = externalReference === null ? "" : `"external_reference":"${externalReference}",`
  return `{"topic_id":"${id}",${reference}"content":${JSON.stringify(content)},"metadata":${metadata},"output_types":${outputTypes},"status":"${status}","commentaries_ready":${approvedAssignments},"total_personas":${topic.totalAssignments},"created_at":"${createdAt}"}`
}

/** Maps a simulated assignment for a test key, with the actions that are possible next. */
export const toSimulatedAssignment = (assignment: Assignment): typeof SimulatedAssignment.Type => ({
  share_id: assignment.id,
  topic_id: assignment.topicId,
  persona_id: assignment.persona.id,
  persona_name: assignment.persona.name,
  status: assignment.status,
  status_updated_at: toIso(assignment.statusUpdatedAt),
  has_commentary: assignment.status === "creator_approved",
  failure: failure(assignment),
  actions: listPossibleSimulatedActions(assignment)
})

/** Maps the fields of a topic that the partner submitted. */
const toSubmittedFields = ({
  content,
  externalReference,
  metadata,
  outputTypes
}: Pick<Topic, "content" | "externalReference" | "metadata" | "outputTypes">) => ({
  ...reference({ externalReference }),
  content,
  metadata,
  output_types: outputTypes
})

const reference = ({ externalReference }: Pick<Topic, "externalReference">) =>
  externalReference === null ? {} : { external_reference: externalReference }

const webhookIds = ({ webhookIds: ids }: Topic) => (ids === null ? {} : { webhook_ids: ids })

const entry = (assignment: PublicAssignment, avatar: string) => ({
  share_id: assignment.id,
  persona_id: assignment.persona.id,
  persona_name: assignment.persona.name,
  persona_image: assignment.persona.imageUrl || avatar,
  status: findSummaryCategory(assignment),
  commentary: commentary(assignment),
  failure: failure(assignment)
})

const commentary = ({ commentary: approved }: PublicAssignment): typeof Commentary.Type | null =>
  approved === null
    ? null
    : {
        id: approved.id,
        content: approved.content,
        audio_url: approved.audioUrl,
        video_url: approved.videoUrl,
        approved_at: toIso(approved.approvedAt),
        partner_approved_at: toIsoOrNull(approved.partnerApprovedAt)
      }

const failure = ({ failure: failed }: PublicAssignment): typeof AssignmentFailure.Type =>
  failed === null ? null : { reason: failed.reason, at: toIso(failed.at) }
