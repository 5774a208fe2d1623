/**
 * Finds assignments by share id, creator and due time, and changes them in transactions under the lock of their topic.
 */

import { noticeId } from "@partner-commentary/core/mail/Mail"
import { clockToleranceMillis, type LatestDue } from "@partner-commentary/core/shared/DueTimes"
import type { OrganizationId, ShareId, TopicId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import * as Subject from "@partner-commentary/core/shared/Subject"
import { dueIn, type Work } from "@partner-commentary/core/shared/WorkSignal"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import {
  type AssignmentInContext,
  AssignmentStore,
  furtherCounted,
  type Modified,
  type OrganizationQueue
} from "@partner-commentary/core/topic/AssignmentStore"
import { recountAfterChange, topicStatus } from "@partner-commentary/core/topic/TopicStatus"
import type { Change } from "@partner-commentary/core/topic/Workflow"
import { billingPeriodOf } from "@partner-commentary/core/usage/BillingPeriod"
import { eventsOf } from "@partner-commentary/core/webhook/Event"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import { addressKey } from "../database/Columns.ts"
import { isTooLate } from "../database/DueTimes.ts"
import { dueRows, firstDueAt } from "../database/FairQueue.ts"
import { limitTo } from "../database/Limit.ts"
import { forUpdate } from "../database/Lock.ts"
import { transact } from "../database/Transaction.ts"
import * as Mails from "../mail/MailStore.ts"
import * as MediaJobs from "../media/MediaJobStore.ts"
import * as AuditLog from "../operations/AuditLog.ts"
import * as Counters from "../reporting/Counters.ts"
import * as DailyMetrics from "../reporting/DailyMetrics.ts"
import { countsOf, type TopicRow } from "../topics/TopicRow.ts"
import * as TopicTotals from "../topics/TopicTotals.ts"
import * as Usage from "../usage/UsageStore.ts"
import * as Events from "../webhooks/Events.ts"
import { type AssignmentRow, changedColumns, fromRow, isOfEnvironment } from "./AssignmentRow.ts"
import * as OpenAssignments from "./OpenAssignments.ts"

type Decision<E> = Result.Result<Modified, E>

/** Marks the request or job with the assignment that it reads or changes. */
const marked = ({ id: shareId, organizationId, topicId }: Assignment) =>
  Subject.markSpan({ organizationId, topicId, shareId })

type LockedTopic = Pick<TopicRow, "id" | "status" | "created_at" | keyof ReturnType<typeof countsOf>>

export const layer = Layer.effect(
  AssignmentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const modify = Effect.fnUntraced(function* <E>(
      id: ShareId,
      decide: (present: Assignment) => Result.Result<Change, E>
    ) {
      const [topic] = yield* sql<LockedTopic>`SELECT id, status, created_at, topic_sent, opinion_injected,
          commentary_generated, creator_approved, declined, expired, abandoned
        FROM topics WHERE id = (SELECT topic_id FROM assignments WHERE id = ${id}) ${forUpdate(sql)}`
      if (topic === undefined) return Option.none<Decision<E>>()
      const [row] = yield* sql<AssignmentRow>`SELECT * FROM assignments WHERE id = ${id} ${forUpdate(sql)}`
      if (row === undefined) return Option.none<Decision<E>>()
      const before = fromRow(row)
      const decided = decide(before)
      if (Result.isFailure(decided)) return Option.some<Decision<E>>(Result.fail(decided.failure))
      const { assignment: after, delivered } = decided.success
      const now = yield* Instant.now
      if (delivered !== undefined && !(yield* Mails.markSent(sql, delivered, now))) {
        return Option.some<Decision<E>>(Result.succeed({ before, after: before, work: [] }))
      }
      const work = after === before ? [] : yield* write(topic, before, decided.success, now)
      return Option.some<Decision<E>>(Result.succeed({ before, after, work }))
    })

    /**
     * Many changes write to the same rows of histograms, usage and counters. These rows are written last, so that they
     * are locked for the shortest time.
     */
    const write = Effect.fnUntraced(function* (
      topic: LockedTopic,
      before: Assignment,
      { assignment: after, audit, notices, mediaRequests = [] }: Change,
      now: Instant.Instant
    ) {
      const { id: shareId, organizationId } = before
      yield* sql`UPDATE assignments SET ${sql.update(changedColumns(before, after))} WHERE id = ${shareId}`
      const { draft } = after
      if (draft !== null && draft.id !== before.draft?.id) {
        const created_at = Instant.toIso(draft.createdAt)
        yield* sql`INSERT INTO drafts ${sql.insert({
          share_id: shareId,
          number: draft.number,
          id: draft.id,
          content: draft.content,
          created_at
        })}`
      }
      const counts = recountAfterChange(countsOf(topic), before, after)
      const status = topicStatus(counts)
      if (isShown(before, after)) {
        const updated_at = Instant.toIso(now)
        yield* sql`UPDATE topics SET ${sql.update({ status, ...counts, updated_at })}, version = version + 1
          WHERE id = ${topic.id}`
      }
      if (notices.length > 0) {
        const mails = yield* Effect.forEach(notices, ({ kind, occasion }) =>
          Effect.map(kind === "stalled" ? Mails.stalledMoment(sql, shareId, now) : Effect.succeed(now), (createdAt) => {
            return { id: noticeId(shareId, occasion), kind, shareId, organizationId, address: null, createdAt }
          })
        )
        yield* Mails.insert(sql, mails)
      }
      if (mediaRequests.length > 0) yield* MediaJobs.insertMediaJobs(sql, after, mediaRequests, now)
      const events = eventsOf(before, after, { status, counts }, now)
      for (const event of events) yield* Events.announce(sql, event, after)
      if (audit !== undefined) yield* AuditLog.appendEntry(sql, { ...audit, subject: shareId, organizationId }, now)
      yield* DailyMetrics.addDurations(sql, before, after)
      yield* countUsage(Instant.fromIso(topic.created_at), before, after)
      const moved =
        status === topic.status ? [] : [TopicTotals.increment(topic.status, -1), TopicTotals.increment(status, 1)]
      const increments = [...moved, ...DailyMetrics.changedCounts(before, after)]
      if (increments.length > 0) yield* Counters.addToCounters(sql, before, increments)
      const work: ReadonlyArray<Work | false> = [
        after.dueAt !== null && after.dueAt !== before.dueAt && dueIn(after.environment),
        notices.length > 0 && "mails",
        events.length > 0 && "deliveries",
        mediaRequests.length > 0 && "media"
      ]
      return work.filter((kind) => kind !== false)
    })

    /**
     * Returns a unit to the month in which the topic was created, and counts a first draft in the month of the draft.
     */
    const countUsage = Effect.fnUntraced(function* (
      topicCreatedAt: Instant.Instant,
      before: Assignment,
      after: Assignment
    ) {
      if (before.failure === null && after.failure !== null) {
        yield* Usage.countUsage(sql, after, billingPeriodOf(topicCreatedAt), { units: -1 })
      }
      if (before.draft === null && after.draft !== null) {
        yield* Usage.countUsage(sql, after, billingPeriodOf(after.draft.createdAt), { generated: 1 })
      }
    })

    const inContext = sql.literal(`SELECT a.*, t.content AS topic_content, t.organization_name
      FROM assignments a JOIN topics t ON t.id = a.topic_id`)

    const open = OpenAssignments.make(sql)

    const openOf = Effect.fnUntraced(function* (creatorKey: string, limit: number) {
      const rows = yield* sql<InContextRow>`${open.inRounds(creatorKey, limit)}
        ${inContext} WHERE a.id IN (SELECT id FROM rounds ${limitTo(sql, limit)}) ORDER BY a.created_at, a.id`
      const [counted] = rows.length < limit ? [] : yield* open.count(creatorKey, limit + furtherCounted)
      return { assignments: rows.map(fromContextRow), further: Math.max(0, (counted?.total ?? 0) - rows.length) }
    })

    const ids = (rows: ReadonlyArray<{ readonly id: ShareId }>) => rows.map(({ id }) => id)

    /**
     * Queries fair shares only if more assignments are due than fit. Otherwise the cost depends only on the due rows,
     * not on other waiting rows.
     */
    const due = Effect.fnUntraced(function* (environment: Environment, now: string, limit: number) {
      const all = yield* sql<DueRow>`SELECT organization_id AS owner, id FROM assignments
        WHERE ${sql.literal(isOfEnvironment(environment))} AND due_at <= ${now} ORDER BY due_at, id ${limitTo(sql, limit + 1)}`
      if (all.length <= limit) return all
      const queue = {
        rows: `assignments WHERE ${isOfEnvironment(environment)} AND due_at IS NOT NULL`,
        owner: "organization_id"
      }
      const first = sql.literal(`${firstDueAt(queue)}, id`)
      return yield* sql<DueRow>`${dueRows(sql, queue, { now, limit, first, locked: sql.literal("") })}
        SELECT owner, id FROM due`
    })

    return AssignmentStore.of({
      find: (id) =>
        Effect.orDie(
          Effect.flatMap(sql<InContextRow>`${inContext} WHERE a.id = ${id}`, ([row]) => {
            if (row === undefined) return Effect.succeedNone
            const found = fromContextRow(row)
            return Effect.as(marked(found.assignment), Option.some(found))
          })
        ),

      modify: (id, decide) =>
        Effect.flatMap(transact(sql, modify(id, decide)), (decided) =>
          Option.isNone(decided)
            ? Effect.succeed(Option.none())
            : Effect.map(
                Effect.tap(Effect.fromResult(decided.value), ({ after }) => marked(after)),
                Option.some
              )
        ),

      due: (environment, at, limit) =>
        Effect.orDie(Effect.map(due(environment, Instant.toIso(at), limit), byOrganization)),

      putOff: (latest, step, limit) => Effect.orDie(putOff(sql, latest, step, limit)),

      nextDue: (among) =>
        Effect.orDie(
          Effect.map(
            Effect.forEach(
              among,
              (environment) => sql<{ due_at: string }>`SELECT due_at FROM assignments
                WHERE ${sql.literal(isOfEnvironment(environment))} AND due_at IS NOT NULL ORDER BY due_at LIMIT 1`
            ),
            (found) => {
              const [first] = found.flatMap((rows) => rows.map((row) => row.due_at)).toSorted()
              return Option.map(Option.fromUndefinedOr(first), Instant.fromIso)
            }
          )
        ),

      openOf: (creatorEmail, limit) => Effect.orDie(openOf(addressKey(creatorEmail), limit)),

      allOf: (creatorEmail) =>
        Effect.orDie(
          Effect.map(
            sql<{ id: ShareId }>`SELECT id FROM assignments WHERE creator_key = ${addressKey(creatorEmail)}`,
            ids
          )
        ),

      stalled: Effect.orDie(
        Effect.map(
          sql<{ id: ShareId }>`SELECT id FROM assignments
            WHERE generation_attempts > 0 AND generation_next_at IS NULL AND due_at IS NOT NULL ORDER BY id`,
          ids
        )
      ),

      forgetDrafts: (id) => transact(sql, forgetDrafts(sql, id))
    })
  })
)

/** Whether partners see the change. */
const isShown = (before: Assignment, after: Assignment): boolean =>
  after.status !== before.status ||
  (after.failure === null) !== (before.failure === null) ||
  after.commentary !== before.commentary

/** The query reads both columns' indexes from the present time on. */
const putOff = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  latest: LatestDue,
  step: Instant.Instant,
  limit: number
) {
  const attempts = {
    due: sql.literal("generation_next_at"),
    isLeased: sql.literal("generation_running = 1"),
    attempts: sql.literal("generation_attempts")
  }
  const drafts = yield* sql<{ readonly id: ShareId }>`SELECT id FROM assignments
    WHERE ${isTooLate(sql, attempts, latest)} ${limitTo(sql, limit)}`
  const steps = yield* sql<{ readonly id: ShareId }>`SELECT id FROM assignments
    WHERE simulation_next_at > ${Instant.toIso(step + clockToleranceMillis)} ${limitTo(sql, limit)}`
  return [...drafts, ...steps].map(({ id }) => id)
})

/**
 * The revision request of an earlier draft is removed together with the draft. An erased assignment has no present
 * draft, so all its drafts are deleted.
 */
const forgetDrafts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: ShareId) {
  yield* sql`UPDATE assignments SET revision_draft_id = NULL, revision_instructions = NULL
    WHERE id = ${id} AND revision_draft_id <> draft_id`
  yield* sql`DELETE FROM drafts WHERE share_id = ${id} AND number <> COALESCE(
    (SELECT draft_number FROM assignments WHERE id = ${id}), 0)`
})

interface DueRow {
  readonly owner: OrganizationId
  readonly id: ShareId
}

const byOrganization = (rows: ReadonlyArray<DueRow>): ReadonlyArray<OrganizationQueue> => {
  const owners = new Map<OrganizationId, Array<ShareId>>()
  for (const { id, owner } of rows) {
    const ids = owners.get(owner)
    if (ids === undefined) owners.set(owner, [id])
    else ids.push(id)
  }
  return Array.from(owners, ([organizationId, ids]) => ({ organizationId, ids }))
}

interface InContextRow extends AssignmentRow {
  readonly topic_id: TopicId
  readonly topic_content: string
  readonly organization_name: string
}

const fromContextRow = (row: InContextRow): AssignmentInContext => ({
  assignment: fromRow(row),
  topic: { id: row.topic_id, content: row.topic_content, organizationName: row.organization_name }
})
