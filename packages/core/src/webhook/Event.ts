/** These pure functions decide which changes of an assignment cause events, and build each event's payload. */
import type { CommentaryId, EventId, PersonaId, ShareId, TopicId } from "../shared/Ids.ts"
import { type Instant, toIso } from "../shared/Instant.ts"
import type { Assignment } from "../topic/Assignment.ts"
import type { MediaKind } from "../topic/MediaRequest.ts"
import type { Topic } from "../topic/Topic.ts"
import { summarizeCounts, type TopicStatus } from "../topic/TopicStatus.ts"
import type { EventType } from "./EventType.ts"

/**
 * A new event without the topic's reference and metadata. The store adds the reference and the metadata of the topic to
 * the payload.
 */
export interface NewEvent {
  readonly id: EventId
  readonly type: EventType
  readonly at: Instant
  /** The first part of the payload's JSON text, up to the value of the external reference. */
  readonly head: string
  /** The last part of the payload's JSON text, after the metadata. */
  readonly tail: string
}

/** Returns the event id that partners see: the UUID after the prefix `evt_`. */
export const formatPublicEventId = (id: EventId): string => `evt_${id}`

/** The JSON text between the values of the external reference and the metadata in a payload. */
export const payloadMetadataPrefix = ',"metadata":'

/** A condition that becomes true at most once for an assignment and then stays true. */
interface Fact {
  readonly type: Exclude<EventType, "topic.completed">
  readonly holds: (assignment: Assignment) => boolean
  readonly medium?: MediaKind
}

/**
 * Each entry of `facts` causes one event when its condition becomes true for an assignment. If a change causes several
 * events, the events have the order of `facts`.
 */
const facts: ReadonlyArray<Fact> = [
  { type: "creator.approved", holds: ({ status }) => status === "creator_approved" },
  { type: "media.ready", medium: "audio", holds: ({ commentary }) => typeof commentary?.audioUrl === "string" },
  { type: "media.ready", medium: "video", holds: ({ commentary }) => typeof commentary?.videoUrl === "string" },
  { type: "partner.approved", holds: ({ commentary }) => typeof commentary?.partnerApprovedAt === "number" },
  { type: "commentary.failed", holds: ({ failure }) => failure !== null }
]

/** The topic's state after a change of one of its assignments, and the topic's status before the change. */
export interface ChangedTopic extends Pick<Topic, "status" | "counts"> {
  readonly formerStatus: TopicStatus
}

const none: ReadonlyArray<NewEvent> = []

/**
 * Returns the events that a change of an assignment causes. Most changes of an assignment cause no event. A topic is
 * completed at most once, because settled assignments never reopen and no assignment is added later.
 */
export const makeEventsOfAssignmentChange = (
  before: Assignment,
  after: Assignment,
  topic: ChangedTopic,
  at: Instant
): ReadonlyArray<NewEvent> => {
  const news = facts.filter(({ holds }) => holds(after) && !holds(before))
  if (news.length === 0) return none
  const earlier = facts.filter(({ holds }) => holds(before)).length
  const own = news.map((fact, index) => assignmentEvent(after, fact, topic, earlier + index + 1, at))
  const isCompleted = topic.status === "completed" && topic.formerStatus !== "completed"
  return isCompleted ? [...own, topicCompleted(after.topicId, topic, at)] : own
}

const assignmentEvent = (
  assignment: Assignment,
  fact: Fact,
  topic: ChangedTopic,
  sequence: number,
  at: Instant
): NewEvent => {
  const { id, persona, status, topicId } = assignment
  return event({ id: idOf(id, sequence, at), type: fact.type, topicId, sequence, at }, {
    share_id: id,
    persona: { id: persona.id, name: persona.name },
    status,
    ...detail(assignment, fact),
    topic: topicState(topic)
  } satisfies Subject)
}

/** The id of `topic.completed` sorts after the id of the assignment's event that completed the topic. */
const topicCompleted = (topicId: TopicId, topic: ChangedTopic, at: Instant): NewEvent =>
  event(
    { id: idOf(topicId, 0xfff, at), type: "topic.completed", topicId, sequence: 1, at },
    { topic: topicState(topic) }
  )

const topicState = ({ counts, status }: ChangedTopic): Subject["topic"] => ({
  status,
  summary: summarizeCounts(counts)
})

const event = (
  {
    at,
    id,
    sequence,
    topicId,
    type
  }: Pick<NewEvent, "id" | "type" | "at"> & {
    readonly sequence: number
    readonly topicId: TopicId
  },
  subject: Partial<Subject>
): NewEvent => {
  const envelope: Envelope = { id: formatPublicEventId(id), type, timestamp: toIso(at), sequence }
  return {
    id,
    type,
    at,
    head: `${open(envelope)},"data":${open({ topic_id: topicId })},"external_reference":`,
    tail: `,${JSON.stringify(subject).slice(1)}}`
  }
}

interface Envelope {
  readonly id: string
  readonly type: EventType
  readonly timestamp: string
  /**
   * The sequence number increases with each event of an assignment, starting at 1. The sequence number of a topic's
   * event is 1.
   */
  readonly sequence: number
}

interface Subject {
  readonly share_id: ShareId
  readonly persona: { readonly id: PersonaId; readonly name: string }
  readonly status: Assignment["status"]
  readonly output_type?: MediaKind
  readonly commentary?: {
    readonly id: CommentaryId
    readonly content: string
    readonly audio_url: string | null
    readonly video_url: string | null
    readonly approved_at: string
    readonly partner_approved_at: string | null
  }
  readonly reason?: string
  /** The topic's status and counts after the change. */
  readonly topic: { readonly status: TopicStatus; readonly summary: ReturnType<typeof summarizeCounts> }
}

/** Returns the JSON text of an object without the closing brace. */
const open = (object: Envelope | { readonly topic_id: TopicId }) => JSON.stringify(object).slice(0, -1)

const detail = ({ commentary, failure }: Assignment, { medium, type }: Fact): Partial<Subject> => {
  if (type === "commentary.failed") return failure === null ? {} : { reason: failure.reason }
  if (commentary === null) return {}
  const { approvedAt, audioUrl, content, id, partnerApprovedAt, videoUrl } = commentary
  return {
    ...(medium === undefined ? {} : { output_type: medium }),
    commentary: {
      id,
      content,
      audio_url: audioUrl,
      video_url: videoUrl,
      approved_at: toIso(approvedAt),
      partner_approved_at: partnerApprovedAt === null ? null : toIso(partnerApprovedAt)
    }
  }
}

/**
 * Returns a UUID of version 7. The UUID combines the time, a number that orders events of the same time, and the random
 * end of the assignment's or topic's id. The same change always produces the same event id.
 */
const idOf = (subject: ShareId | TopicId, place: number, at: Instant): EventId =>
  `${makeLowestEventId(at).slice(0, 15)}${place.toString(16).padStart(3, "0")}-${subject.slice(19)}` as EventId

/** Returns the time that the event's id contains. */
export const extractEventTime = (id: EventId): Instant => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** Returns the lowest possible event id for a time. */
export const makeLowestEventId = (at: Instant): EventId => {
  const moment = at.toString(16).padStart(12, "0")
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7000-0000-000000000000` as EventId
}
