/**
 * Deletes test data from earlier days. Each batch is one transaction, which deletes the oldest topics of one
 * organization and all records that refer to them, and updates the counters. Except for expired stored responses, no
 * statement selects rows of the live environment.
 */
import type { OrganizationId, TopicId } from "@partner-commentary/core/shared/Ids"
import { type Instant, toIso } from "@partner-commentary/core/shared/Instant"
import { type TopicStatus, topicStatuses } from "@partner-commentary/core/topic/TopicStatus"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { forUpdate, forUpdateSkipLocked, limitClause } from "../database/Clauses.ts"
import { transact } from "../database/Transaction.ts"
import * as Counters from "../reporting/Counters.ts"
import { formatUtcDay } from "../reporting/DailyMetrics.ts"
import * as TestEnvironmentStorage from "./TestEnvironmentStorage.ts"

/**
 * The number of topics in a batch. A topic has one event and up to 50 assignments with two events each, so a batch can
 * delete a few thousand rows.
 */
export const topicBatchSize = 10

const batchSize = 1000

interface TopicRow {
  readonly id: TopicId
  readonly status: TopicStatus
  readonly stored_bytes: number | null
}

/**
 * Returns the condition that selects old topics. The condition for old topics includes the condition of the partial
 * indexes on test data. Days are compared as text, because the text of a date sorts before every time of that day.
 */
const isOld = (sql: SqlClient, before: Instant) => sql`environment <> 'live' AND created_at < ${formatUtcDay(before)}`

export const countOldTopics = (sql: SqlClient, before: Instant) =>
  Effect.map(
    sql<{ readonly total: number }>`SELECT CAST(COUNT(*) AS INTEGER) AS total FROM topics WHERE ${isOld(sql, before)}`,
    ([row]) => row?.total ?? 0
  )

/** Deletes one batch of topics, and returns the number of deleted topics. */
export const deleteOldTopics = Effect.fnUntraced(function* (sql: SqlClient, before: Instant) {
  const [oldest] = yield* sql<{ readonly organization_id: OrganizationId }>`SELECT organization_id FROM topics
    WHERE ${isOld(sql, before)} ORDER BY created_at, id LIMIT 1`
  return oldest === undefined ? 0 : yield* Effect.map(ofOrganization(sql, oldest.organization_id, before), Number)
}, Effect.orDie)

const ofOrganization = (sql: SqlClient, organizationId: OrganizationId, before: Instant) =>
  transact(
    sql,
    Effect.gen(function* () {
      const isOwn = sql`organization_id = ${organizationId} AND environment = 'test'`
      // The locks of the topics also prevent changes of the topics' assignments.
      const rows = yield* sql<TopicRow>`SELECT id, status, stored_bytes FROM topics
        WHERE ${isOwn} AND created_at < ${formatUtcDay(before)} ORDER BY created_at, id ${limitClause(sql, topicBatchSize)} ${forUpdate(sql)}`
      if (rows.length === 0) return 0
      const isIn = sql.in(
        "topic_id",
        rows.map(({ id }) => id)
      )
      yield* dependents(sql, isOwn, sql`SELECT id FROM assignments WHERE ${isIn}`)
      yield* sql`DELETE FROM assignments WHERE ${isIn}`
      yield* sql`DELETE FROM topics WHERE ${sql.in(
        "id",
        rows.map(({ id }) => id)
      )}`
      const counted = rows.flatMap(({ stored_bytes }) => stored_bytes ?? [])
      yield* TestEnvironmentStorage.addStorage(sql, organizationId, {
        topics: -counted.length,
        bytes: -counted.reduce((total, bytes) => total + bytes, 0)
      })
      yield* metrics(sql, isOwn, before)
      const owner = { organizationId, environment: "test" } as const
      yield* Counters.addToCounters(
        sql,
        Counters.makeCounterRows(
          owner,
          topicStatuses.flatMap((status) => {
            const deleted = rows.filter((row) => row.status === status).length
            return deleted === 0 ? [] : [Counters.makeTopicTotalIncrement(status, -deleted)]
          })
        )
      )
      return rows.length
    })
  )

/**
 * Deletes all rows that refer to the assignments, except rows of the audit log. Deliveries are deleted before the
 * events, because the statement finds deliveries by their events.
 */
const dependents = Effect.fnUntraced(function* (sql: SqlClient, isOwn: Fragment, shares: Fragment) {
  const sent = sql`SELECT w.id, e.id FROM (SELECT id FROM webhooks WHERE ${isOwn}) AS w
    CROSS JOIN (SELECT id FROM events WHERE environment <> 'live' AND share_id IN (${shares})) AS e`
  for (const table of ["delivery_attempts", "deliveries"]) {
    yield* sql`DELETE FROM ${sql(table)} WHERE (webhook_id, event_id) IN (${sent})`
  }
  yield* sql`DELETE FROM event_positions
    WHERE event_id IN (SELECT id FROM events WHERE environment <> 'live' AND share_id IN (${shares}))`
  yield* sql`DELETE FROM events WHERE environment <> 'live' AND share_id IN (${shares})`
  // The ids of an assignment's mails begin with the id of the assignment.
  yield* sql`DELETE FROM mails WHERE id IN (SELECT m.id FROM (${shares}) AS share
    JOIN mails m ON m.id >= share.id || '.' AND m.id < share.id || '/')`
  yield* sql`DELETE FROM media_jobs WHERE share_id IN (${shares})`
  yield* sql`DELETE FROM drafts WHERE share_id IN (${shares})`
})

/** Deletes the metrics of a day together with the last topic of that day. New topics never belong to an earlier day. */
const metrics = Effect.fnUntraced(function* (sql: SqlClient, isOwn: Fragment, before: Instant) {
  const [first] = yield* sql<{ readonly created_at: string }>`SELECT created_at FROM topics
    WHERE ${isOwn} ORDER BY created_at, id LIMIT 1`
  const limit = formatUtcDay(before)
  const day = first === undefined || first.created_at > limit ? limit : first.created_at.slice(0, limit.length)
  for (const table of ["duration_histograms", "counters"]) {
    yield* sql`DELETE FROM ${sql(table)} WHERE ${isOwn} AND day > '' AND day < ${day}`
  }
})

/**
 * Deletes one batch of ended duplicate windows of the test environment. If no duplicate window has ended, deletes one
 * batch of expired stored responses of both environments.
 */
export const deleteDuplicateWindowsAndResponses = Effect.fnUntraced(function* (sql: SqlClient, before: Instant) {
  const ended = sql`until_at < ${toIso(before)}`
  const some = (table: string, columns: string, where: Fragment) => {
    const key = sql.literal(columns)
    return sql`DELETE FROM ${sql(table)} WHERE (${key}) IN (SELECT ${key} FROM ${sql(table)}
      WHERE ${where} ${limitClause(sql, batchSize)} ${forUpdateSkipLocked(sql)}) RETURNING 1 AS deleted`
  }
  const windows = yield* some(
    "duplicate_windows",
    "organization_id, environment, persona_id, fingerprint",
    sql`environment <> 'live' AND ${ended}`
  )
  return windows.length > 0 ? windows.length : (yield* some("stored_responses", "id", ended)).length
}, Effect.orDie)
