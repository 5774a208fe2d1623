/**
 * Reads one topic with its mails, media jobs and events for operators, and changes no data. The functions find rows by
 * keys, so that the cost does not depend on the number of other topics.
 */
import { generationFailedAuditAction } from "@partner-commentary/core/commentary/Generation"
import type { MailKind } from "@partner-commentary/core/mail/Mail"
import type { EventId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import type { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import type { Topic } from "@partner-commentary/core/topic/Topic"
import { makeLowestEventId } from "@partner-commentary/core/webhook/Event"
import type { EventType } from "@partner-commentary/core/webhook/EventType"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { type AssignmentRow, assignmentFromRow as assignmentOf } from "../assignments/AssignmentRow.ts"
import { fromIsoOrNull } from "../database/Columns.ts"
import { type TopicRow, fromRow as topicOf } from "./TopicRow.ts"

export interface InspectedMail {
  readonly id: string
  readonly kind: MailKind
  readonly state: "waiting" | "sent" | "obsolete" | "failed"
  readonly attempts: number
  /**
   * The due time of a waiting mail. The due time is null for mails that do not wait to be sent. While a worker sends
   * the mail, the due time is the end of the worker's lease.
   */
  readonly dueAt: Instant.Instant | null
  readonly settledAt: Instant.Instant | null
  /** The reason why the last attempt failed. */
  readonly reason: string | null
}

export interface InspectedMediaJob {
  readonly kind: MediaKind
  readonly state: "waiting" | "ready" | "failed"
  readonly attempts: number
  readonly dueAt: Instant.Instant | null
  readonly reason: string | null
}

export interface InspectedEvent {
  readonly id: EventId
  readonly type: EventType
  readonly at: Instant.Instant
}

/** The mails, media jobs and events that refer to one assignment. */
export interface AssignmentRecords {
  /**
   * The mails of the assignment, oldest first. The service may delete a mail 7 days after the mail was sent, failed or
   * became obsolete.
   */
  readonly mails: ReadonlyArray<InspectedMail>
  /** The last failed attempt to generate a draft. */
  readonly failedAttempt: { readonly at: Instant.Instant; readonly reason: string } | null
  readonly mediaJobs: ReadonlyArray<InspectedMediaJob>
  /** The events of the assignment, oldest first. The service may delete events that are more than 30 days old. */
  readonly events: ReadonlyArray<InspectedEvent>
}

/**
 * Finds a topic by the id of the topic, a share id or the id of an event. For a share id, the result contains only the
 * assignment with that id. For an event, the result contains only the assignment whose change caused the event.
 */
export const findTopic = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<AssignmentRow>`SELECT * FROM assignments WHERE topic_id = ${id} OR id = ${id}
      OR id = (SELECT share_id FROM events WHERE id = ${id}) ORDER BY position`
  const [topic] = yield* sql<TopicRow>`SELECT * FROM topics WHERE id = ${rows[0]?.topic_id ?? id}`
  return topic === undefined
    ? Option.none<{ readonly topic: Topic; readonly assignments: ReadonlyArray<Assignment> }>()
    : Option.some({ topic: topicOf(topic), assignments: rows.map(assignmentOf) })
}, Effect.orDie)

export const readAssignmentRecords = Effect.fnUntraced(function* (assignment: Assignment) {
  const sql = yield* SqlClient.SqlClient
  const { id } = assignment
  // The ids of an assignment's mails begin with the share id and a dot.
  const mails = yield* sql<MailRow>`SELECT id, kind, state, attempts, due_at, settled_at, reason FROM mails
    WHERE id > ${`${id}.`} AND id < ${`${id}/`} ORDER BY created_at, id`
  const [failed] = yield* sql<RecordRow>`SELECT recorded_at, details FROM audit_log
    WHERE subject = ${id} AND action = ${generationFailedAuditAction} ORDER BY number DESC LIMIT 1`
  const mediaJobs = yield* sql<MediaJobRow>`SELECT kind, state, attempts, due_at, settled_at, reason FROM media_jobs
    WHERE share_id = ${id} ORDER BY kind`
  const settled = mediaJobs.flatMap(({ settled_at }) => fromIsoOrNull(settled_at) ?? [])
  const around = [...momentsOf(assignment), ...settled].map(
    (at) =>
      sql`(id >= ${makeLowestEventId(Instant.plus(at, before))} AND id < ${makeLowestEventId(Instant.plus(at, behind))})`
  )
  const events =
    around.length === 0
      ? []
      : yield* sql<EventRow>`SELECT id, type, created_at FROM events
          WHERE share_id = ${id} AND ${sql.or(around)} ORDER BY id`
  const records: AssignmentRecords = {
    mails: mails.map(({ due_at, settled_at, ...mail }) => ({
      ...mail,
      dueAt: mail.state === "waiting" ? Instant.fromIso(due_at) : null,
      settledAt: fromIsoOrNull(settled_at)
    })),
    failedAttempt:
      failed === undefined
        ? null
        : {
            at: Instant.fromIso(failed.recorded_at),
            reason: (JSON.parse(failed.details) as { reason: string }).reason
          },
    mediaJobs: mediaJobs.map(({ due_at, settled_at: _, ...job }) => ({ ...job, dueAt: fromIsoOrNull(due_at) })),
    events: events.map(({ created_at, id, type }) => ({ id, type, at: Instant.fromIso(created_at) }))
  }
  return records
}, Effect.orDie)

/**
 * Returns the times at which the assignment may have had events. The query reads only event ids near the returned
 * times, because no index contains the share id.
 */
const momentsOf = ({ commentary, failure }: Assignment): ReadonlyArray<Instant.Instant> =>
  [commentary?.approvedAt, commentary?.partnerApprovedAt, failure?.at].filter((at) => typeof at === "number")

/** An event can have a later time than its change, because the write of the event may wait for another transaction. */
const behind = Duration.minutes(1)
const before = Duration.seconds(-1)

interface MailRow extends Omit<InspectedMail, "dueAt" | "settledAt"> {
  readonly due_at: string
  readonly settled_at: string | null
}

interface RecordRow {
  readonly recorded_at: string
  readonly details: string
}

interface MediaJobRow extends Omit<InspectedMediaJob, "dueAt"> {
  readonly due_at: string | null
  readonly settled_at: string | null
}

interface EventRow {
  readonly id: EventId
  readonly type: EventType
  readonly created_at: string
}
