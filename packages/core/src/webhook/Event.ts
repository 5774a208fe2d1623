/** Decides which changes of an assignment are events, and builds the payload of each event. Pure. */
import type { CommentaryId, EventId, PersonaId, ShareId, TopicId } from "../shared/Ids.ts"
import { type Instant, toIso } from "../shared/Instant.ts"
import type { Assignment } from "../topic/Assignment.ts"
import type { Topic } from "../topic/Topic.ts"
import { summarizeCounts, type TopicStatus } from "../topic/TopicStatus.ts"
import type { EventType } from "./EventType.ts"

/** An event as the core builds it. The store adds the topic's reference and metadata to the payload. */
export interface NewEvent {
  readonly id: EventId
  readonly type: EventType
  readonly at: Instant
  /** The start of the payload's text, up to the value of the external reference. */
  readonly head: string
  /** The rest of the payload's text, after the metadata. */
  readonly tail: string
}

/** Returns an event's id in the form that partners see. */
export const publicId = (id: EventId): string => `evt_${id}`

/** The text between the values of the external reference and the metadata. */
export const payloadSeparator = ',"metadata":'

/** The event types are in the order in which they can happen. An assignment has each event at most once. */
const facts: ReadonlyArray<readonly [EventType, (assignment: Assignment) => boolean]> = [
  ["creator.approved", ({ status }) => status === "creator_approved"],
  ["partner.approved", ({ commentary }) => commentary !== null && commentary.partnerApprovedAt !== null],
  ["commentary.failed", ({ failure }) => failure !== null]
]

const none: ReadonlyArray<NewEvent> = []

/** Returns the events of this change. Most changes cause no event. */
export const eventsOf = (
  before: Assignment,
  after: Assignment,
  topic: Pick<Topic, "status" | "counts">,
  at: Instant
): ReadonlyArray<NewEvent> => {
  const news = facts.filter(([, holds]) => holds(after) && !holds(before))
  if (news.length === 0) return none
  const earlier = facts.filter(([, holds]) => holds(before)).length
  return news.map(([type], index) => event(after, type, topic, earlier + index + 1, at))
}

const event = (
  assignment: Assignment,
  type: EventType,
  topic: Pick<Topic, "status" | "counts">,
  sequence: number,
  at: Instant
): NewEvent => {
  const id = idOf(assignment.id, sequence, at)
  const envelope: Envelope = { id: publicId(id), type, timestamp: toIso(at), sequence }
  const subject: Subject = {
    share_id: assignment.id,
    persona: { id: assignment.persona.id, name: assignment.persona.name },
    status: assignment.status,
    ...detail(assignment, type),
    topic: { status: topic.status, summary: summarizeCounts(topic.counts) }
  }
  return {
    id,
    type,
    at,
    head: `${open(envelope)},"data":${open({ topic_id: assignment.topicId })},"external_reference":`,
    tail: `,${JSON.stringify(subject).slice(1)}}`
  }
}

interface Envelope {
  readonly id: string
  readonly type: EventType
  readonly timestamp: string
  /** The sequence number increases with each event of an assignment, starting at 1. */
  readonly sequence: number
}

interface Subject {
  readonly share_id: ShareId
  readonly persona: { readonly id: PersonaId; readonly name: string }
  readonly status: Assignment["status"]
  readonly commentary?: {
    readonly id: CommentaryId
    readonly content: string
    readonly audio_url: string | null
    readonly video_url: string | null
    readonly approved_at: string
    readonly partner_approved_at: string | null
  }
  readonly reason?: string
  /** The topic's status and counts after this change. */
  readonly topic: { readonly status: TopicStatus; readonly summary: ReturnType<typeof summarizeCounts> }
}

/** Returns the JSON text of an object without its closing brace. */
const open = (object: Envelope | { readonly topic_id: TopicId }) => JSON.stringify(object).slice(0, -1)

const detail = ({ commentary, failure }: Assignment, type: EventType): Partial<Subject> => {
  if (type === "commentary.failed") return failure === null ? {} : { reason: failure.reason }
  if (commentary === null) return {}
  const { approvedAt, audioUrl, content, id, partnerApprovedAt, videoUrl } = commentary
  return {
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
 * Returns a UUID of version 7 made from the time, the sequence number and the random end of the share id. The same
 * change always has the same id.
 */
const idOf = (share: ShareId, sequence: number, at: Instant): EventId =>
  `${firstIdAt(at).slice(0, 15)}${sequence.toString(16).padStart(3, "0")}-${share.slice(19)}` as EventId

/** Reads the event's time from its id. */
export const timeOfEvent = (id: EventId): Instant => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** Returns the lowest possible event id at this time. */
export const firstIdAt = (at: Instant): EventId => {
  const moment = at.toString(16).padStart(12, "0")
  return `${moment.slice(0, 8)}-${moment.slice(8)}-7000-0000-000000000000` as EventId
}
