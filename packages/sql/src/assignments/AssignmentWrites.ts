/** Writes the changes of assignments, with their events, mails, media jobs, usage and counters. */
import { makeAssignmentMailId } from "@partner-commentary/core/mail/Mail"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import { deriveTopicStatus, updateTopicCounts } from "@partner-commentary/core/topic/TopicStatus"
import type { AssignmentChange } from "@partner-commentary/core/topic/Workflow"
import { findBillingPeriod } from "@partner-commentary/core/usage/BillingPeriod"
import { makeEventsOfAssignmentChange } from "@partner-commentary/core/webhook/Event"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as CombinedWrites from "../database/CombinedWrites.ts"
import * as Mails from "../mail/MailStore.ts"
import * as MediaJobs from "../media/MediaJobStore.ts"
import * as AuditLog from "../operations/AuditLog.ts"
import * as Counters from "../reporting/Counters.ts"
import * as DailyMetrics from "../reporting/DailyMetrics.ts"
import { pickTopicCounts, type TopicRow } from "../topics/TopicRow.ts"
import * as Usage from "../usage/UsageStore.ts"
import { makeEventWrites, traceEvent } from "../webhooks/EventLog.ts"
import { findChangedAssignmentColumns } from "./AssignmentRow.ts"

export type LockedTopic = Pick<TopicRow, "id" | "status" | "created_at" | keyof ReturnType<typeof pickTopicCounts>>

/**
 * The error that rolls back a transaction whose change marks a mail as sent, although a later send attempt has claimed
 * the mail.
 */
class Overtaken extends Data.TaggedError("Overtaken") {}

/** Increments of shared rows, which many changes of the same organization update. */
interface SharedIncrements {
  readonly usage: ReadonlyArray<Usage.UsageIncrement>
  readonly counters: ReturnType<typeof Counters.makeCounterRows>
}

export interface PreparedAssignmentChange extends SharedIncrements {
  readonly events: ReturnType<typeof makeEventsOfAssignmentChange>
  /** The topic as it is after the change. */
  readonly topic: LockedTopic
  /** Writes the assignment's change first, and then the usage and counter increments. */
  readonly write: (increments: SharedIncrements) => Effect.Effect<void, SqlError | Overtaken>
}

/**
 * Writes the changes of one transaction. The transaction must hold the locks of all changed topics and assignments. To
 * prevent deadlocks, the last statement writes all usage and counters in the same fixed order as submissions.
 */
export const writePreparedChanges = (
  changes: ReadonlyArray<PreparedAssignmentChange & { readonly inContext: InContext }>
) => {
  const all = {
    usage: changes.flatMap(({ usage }) => usage),
    counters: Counters.sumByCounter(changes.flatMap(({ counters }) => counters))
  }
  const last = changes.length - 1
  return Effect.forEach(
    changes,
    ({ inContext, write }, index) => inContext(write(index === last ? all : { usage: [], counters: [] })),
    { discard: true }
  )
}

/** Runs a part of the transaction with the caller's clock and trace spans. */
type InContext = <A, E>(part: Effect.Effect<A, E>) => Effect.Effect<A, E>

export const prepareAssignmentWrites = (
  sql: SqlClient,
  topic: LockedTopic,
  before: Assignment,
  change: AssignmentChange,
  now: Instant.Instant
): PreparedAssignmentChange => {
  const { assignment: after, audit, delivered, mediaRequests = [], notices, readyMedium } = change
  const { id: shareId, organizationId } = before
  const isChanged = after !== before
  const counts = updateTopicCounts(pickTopicCounts(topic), before, after)
  const status = deriveTopicStatus(counts)
  const topicColumns = { status, ...counts, updated_at: Instant.toIso(now) }
  const topicAfter = isShown(before, after) ? { ...topic, status, ...counts } : topic
  const events = isChanged
    ? makeEventsOfAssignmentChange(before, after, { status, counts, formerStatus: topic.status }, now)
    : []
  const increments = [
    ...(!isChanged || status === topic.status
      ? []
      : [Counters.makeTopicTotalIncrement(topic.status, -1), Counters.makeTopicTotalIncrement(status, 1)]),
    ...DailyMetrics.makeCounterIncrements(before, after)
  ]
  const durations = DailyMetrics.makeDurationWrites(sql, before, after)
  const write = Effect.fnUntraced(function* (shared: SharedIncrements) {
    const mails = yield* Effect.forEach(notices, ({ kind, occasion }) =>
      Effect.map(
        kind === "stalled" ? Mails.findNextStalledDraftNoticeTime(sql, shareId, now) : Effect.succeed(now),
        (createdAt) => {
          return {
            id: makeAssignmentMailId(shareId, occasion),
            kind,
            shareId,
            organizationId,
            address: null,
            createdAt
          }
        }
      )
    )
    const first: ReadonlyArray<CombinedWrites.WriteStatement> =
      delivered === undefined ? [] : [{ statement: Mails.markSent(sql, delivered, now), returning: "1" }]
    const rest = [
      isChanged &&
        sql`UPDATE assignments SET ${sql.update(findChangedAssignmentColumns(before, after))} WHERE id = ${shareId}`,
      after.draft !== null && after.draft.id !== before.draft?.id && insertDraft(sql, shareId, after.draft),
      ...(isShown(before, after)
        ? [sql`UPDATE topics SET ${sql.update(topicColumns)}, version = version + 1 WHERE id = ${topic.id}`]
        : hasOtherDeadline(before, after)
          ? [sql`UPDATE topics SET version = version + ${versionStep(now)} WHERE id = ${topic.id}`]
          : []),
      mails.length > 0 && Mails.insertMails(sql, mails),
      ...MediaJobs.insertMediaJobs(sql, after, mediaRequests, now),
      readyMedium !== undefined && MediaJobs.markJobReady(sql, shareId, readyMedium, now),
      ...events.flatMap((event) => makeEventWrites(sql, event, after)),
      audit !== undefined && AuditLog.insertAuditEntry(sql, { ...audit, subject: shareId, organizationId }, now)
    ].filter((statement) => statement !== false)
    const last = [
      ...(shared.usage.length > 0 ? [Usage.addUsageIncrements(sql, shared.usage)] : []),
      ...(shared.counters.length > 0 ? [Counters.addToCounters(sql, shared.counters)] : [])
    ]
    const writes: ReadonlyArray<CombinedWrites.WriteStatement> = [
      ...first,
      ...rest.map((statement) => ({ statement })),
      ...durations.map(({ statement }) => ({ statement, returning: "exact" })),
      ...last.map((statement) => ({ statement }))
    ]
    const written = events.reduce(
      (running, event) => traceEvent(running, event, after),
      CombinedWrites.run(sql, writes)
    )
    const returned = yield* written
    if (delivered !== undefined && returned[0] === null) return yield* new Overtaken()
    for (const [index, { fold }] of durations.entries()) yield* fold(returned[first.length + rest.length + index] ?? 0)
  })
  return {
    events,
    topic: topicAfter,
    usage: usageIncrements(Instant.fromIso(topic.created_at), before, after),
    counters: Counters.makeCounterRows(before, increments),
    write
  }
}

const insertDraft = (
  sql: SqlClient,
  share_id: Assignment["id"],
  { content, createdAt, id, number }: NonNullable<Assignment["draft"]>
) => sql`INSERT INTO drafts ${sql.insert({ share_id, number, id, content, created_at: Instant.toIso(createdAt) })}`

/** A new deadline changes the JSON of the topic, but not the topic's place in lists. */
const hasOtherDeadline = (before: Assignment, after: Assignment): boolean =>
  after.respondBy !== before.respondBy || after.approveBy !== before.approveBy

/**
 * Returns the increase of the topic's version for a new deadline. A restored backup can lack a deadline, which is then
 * set again. The increase depends on the time of the change, so that the new version very likely differs from every
 * version before the restore.
 */
const versionStep = (now: Instant.Instant): number => 1 + (now % 1000)

/** Returns whether the change increases the topic's version. */
export const increasesTopicVersion = (before: Assignment, after: Assignment): boolean =>
  isShown(before, after) || hasOtherDeadline(before, after)

/** Returns whether the change affects the status, the failure or the commentary that partners see. */
const isShown = (before: Assignment, after: Assignment): boolean =>
  after.status !== before.status ||
  (after.failure === null) !== (before.failure === null) ||
  after.commentary !== before.commentary

/**
 * Subtracts a failed assignment from the usage of the topic's month, and adds a first draft to the usage of the draft's
 * month.
 */
const usageIncrements = (
  topicCreatedAt: Instant.Instant,
  before: Assignment,
  after: Assignment
): ReadonlyArray<Usage.UsageIncrement> => [
  ...(before.failure === null && after.failure !== null
    ? [{ owner: after, period: findBillingPeriod(topicCreatedAt), units: -1 }]
    : []),
  ...(before.draft === null && after.draft !== null
    ? [{ owner: after, period: findBillingPeriod(after.draft.createdAt), generated: 1 }]
    : [])
]
