/**
 * How submissions are written where a statement is a way over the network, as to Postgres: what TopicIntake does, for one or for many of an
 * owner's on one day, as one statement. Its text is the same for any number of topics and personas, so that it stays prepared.
 */
import { noticeId } from "@partner-commentary/core/mail/Mail"
import type { ShareId } from "@partner-commentary/core/shared/Ids"
import { toIso } from "@partner-commentary/core/shared/Instant"
import { assignments, type Submission } from "@partner-commentary/core/topic/Submission"
import { periodOf } from "@partner-commentary/core/usage/BillingPeriod"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { toNewRow } from "../assignments/AssignmentRow.ts"
import { isoOfFew, jsonOf } from "../database/Columns.ts"
import * as Counters from "../reporting/Counters.ts"
import { dayOf } from "../reporting/DailyMetrics.ts"
import * as TestStorage from "../sandbox/TestStorage.ts"
import { holdersOf, nothing, topicOf, type WindowRow, type Written, whereHeld } from "./TopicIntake.ts"

interface Row extends WindowRow {
  readonly fingerprint: string
  readonly topics_created: number | null
  readonly units_held: number | null
  /** In the test environment. */
  readonly topics?: number | null
  readonly bytes?: number | null
}

/** A submission, and the rows of its assignments. */
export interface Prepared {
  readonly submission: Submission
  readonly rows: ReadonlyArray<ReturnType<typeof toNewRow>>
}

/** As if the persona's window were free: those whose window is another's are left out by the statement. */
export const prepare = (submission: Submission): Prepared => {
  const iso = isoOfFew()
  const ifFree = new Map(
    submission.candidates.map(({ persona, shareId }) => [persona.id, { topicId: submission.topic.id, shareId }])
  )
  return { submission, rows: assignments(submission, ifFree).map((one) => toNewRow(one, iso)) }
}

/**
 * Submissions of one owner, of one day, and no two of one fingerprint. Each part reads from the one before it, which fixes their
 * order. With `bounds` the statement first locks the counters that have limits, so that its check stays true until the commit.
 * Where there is no room for all submissions, or no counter yet, it writes nothing and the result is empty.
 */
export const write = Effect.fnUntraced(function* (
  sql: SqlClient,
  prepared: ReadonlyArray<Prepared>,
  bounds: Pick<Submission, "quotas" | "storage"> | null
): Effect.fn.Return<ReadonlyArray<Written>, SqlError> {
  const rows = prepared.flatMap(({ rows }) => rows)
  const submissions = prepared.map(({ submission }) => submission)
  const [first] = rows
  const [one] = submissions
  if (first === undefined || one === undefined) return submissions.map(() => ({ holders: new Map(), ...nothing }))
  const { createdAt, environment, organizationId } = one.topic
  const period = periodOf(createdAt)
  const topics = submissions.map((submission) => topicOf(submission, 0))
  const windows = submissions.map(({ fingerprint, topic, windowUntil }) => {
    return { topic_id: topic.id, created_at: toIso(topic.createdAt), fingerprint, until_at: toIso(windowUntil) }
  })
  const quotas = bounds?.quotas ?? null
  const usage = counters(
    sql,
    "usage",
    sql`usage_months WHERE organization_id = ${organizationId} AND environment = ${environment} AND period = ${period}`,
    { topics_created: submissions.length, units_held: rows.length },
    { topics_created: quotas?.topics_per_month ?? null, units_held: quotas?.commentaries_per_month ?? null }
  )
  const test =
    environment === "test" ? inTestStorage(sql, organizationId, submissions, bounds?.storage?.limits) : live(sql)
  const own = Object.keys(first).filter((name) => name !== "position")
  const columns = sql.literal(own.join(", "))
  const topicColumns = Object.keys(topics[0] ?? {}).filter((name) => name !== "topic_sent")
  const mails =
    environment === "live"
      ? sql`, asked_by_mail AS (
          INSERT INTO mails (id, kind, share_id, organization_id, created_at, due_at)
          SELECT id || ${afterShareId}, 'request', id, organization_id, created_at, created_at FROM sent
          ON CONFLICT (id) DO NOTHING)`
      : sql.literal("")
  const found = yield* sql<Row>`
    WITH ${usage.locked}, ${test.locked}
    wanted AS MATERIALIZED (
      SELECT * FROM json_populate_recordset(NULL::assignments, ${jsonOf(rows)}) WHERE ${usage.hasRoom} ${test.hasRoom}),
    windows AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${jsonOf(windows)})
        AS given (topic_id TEXT, created_at TEXT, fingerprint TEXT, until_at TEXT)),
    holders AS (
      INSERT INTO duplicate_windows AS held
        (organization_id, environment, persona_id, fingerprint, topic_id, share_id, until_at)
      SELECT organization_id, environment, persona_id, fingerprint, topic_id, id, until_at
      FROM wanted JOIN windows USING (topic_id)
      ORDER BY fingerprint, persona_id
      ${whereHeld(sql, sql`(SELECT created_at FROM windows WHERE windows.topic_id = excluded.topic_id)`)}
      RETURNING persona_id, fingerprint, topic_id, share_id),
    sent AS MATERIALIZED (
      SELECT wanted.*, ROW_NUMBER() OVER (PARTITION BY wanted.topic_id ORDER BY position) - 1 AS place
      FROM wanted JOIN holders ON holders.share_id = wanted.id),
    asked AS (
      INSERT INTO assignments (${columns}, position) SELECT ${columns}, place FROM sent RETURNING topic_id)
    ${mails},
    seen AS (
      INSERT INTO usage_months AS seen (organization_id, environment, period, topics_created, units_held)
      SELECT ${organizationId}, ${environment}, ${period}, COUNT(DISTINCT topic_id), COUNT(*)
      FROM asked HAVING COUNT(*) > 0
      ON CONFLICT (organization_id, environment, period) DO UPDATE SET
        topics_created = seen.topics_created + excluded.topics_created,
        units_held = seen.units_held + excluded.units_held
      RETURNING topics_created, units_held),
    written AS (
      INSERT INTO topics (${sql.literal(topicColumns.join(", "))}, topic_sent)
      SELECT ${sql.literal(topicColumns.map((name) => `given.${name}`).join(", "))},
        own.total
      FROM (SELECT topic_id, COUNT(*) AS total FROM sent, seen GROUP BY topic_id) AS own
      JOIN json_populate_recordset(NULL::topics, ${jsonOf(topics)}) AS given ON given.id = own.topic_id ${test.returned})
    ${test.stored},
    counted AS (
      INSERT INTO counters AS counter (organization_id, environment, day, persona_id, name, total, persona_name)
      SELECT ${organizationId}, ${environment}, more.* FROM (
        SELECT '' AS day, '' AS persona_id, 'pending' AS name, COUNT(DISTINCT topic_id) AS total, NULL AS persona_name
          FROM sent, seen HAVING COUNT(*) > 0
        UNION ALL
        SELECT ${dayOf(createdAt)}, persona_id, 'sent', COUNT(*), (ARRAY_AGG(persona_name ORDER BY created_at DESC))[1]
          FROM sent, seen GROUP BY persona_id) AS more
      ORDER BY day COLLATE "C", persona_id COLLATE "C", name COLLATE "C"
      ${Counters.onConflictAdd(sql)})
    SELECT holders.*, seen.topics_created, seen.units_held ${test.columns} FROM holders LEFT JOIN seen ON TRUE ${test.joined}`
  if (found.length === 0) return []
  const [{ bytes = null, topics: stored = null, topics_created, units_held }] = found as readonly [Row]
  const counted = {
    seen: { topics_created: topics_created ?? 0, units_held: units_held ?? 0 },
    stored: stored === null || bytes === null ? null : { topics: stored, bytes }
  }
  return submissions.map(({ fingerprint }) => {
    return { holders: holdersOf(found.filter((row) => row.fingerprint === fingerprint)), ...counted }
  })
})

/** What the statement has more in the test environment, whose storage is counted. */
const inTestStorage = (
  sql: SqlClient,
  organizationId: Submission["topic"]["organizationId"],
  submissions: ReadonlyArray<Submission>,
  limits: NonNullable<Submission["storage"]>["limits"] | undefined
) => {
  const bytes = submissions.reduce((total, { storage }) => total + (storage?.bytes ?? 0), 0)
  const storage = counters(
    sql,
    "storage",
    sql`test_storage WHERE organization_id = ${organizationId}`,
    { topics: submissions.length, bytes },
    { topics: limits?.topics ?? null, bytes: limits?.bytes ?? null }
  )
  return {
    locked: sql`${storage.locked},`,
    hasRoom: sql`AND ${storage.hasRoom}`,
    returned: sql`RETURNING stored_bytes`,
    stored: sql`, stored AS (
      INSERT INTO test_storage AS kept (organization_id, topics, bytes)
      SELECT ${organizationId}, COUNT(*), SUM(stored_bytes) FROM written HAVING COUNT(*) > 0
      ${TestStorage.whereStored(sql)} RETURNING topics, bytes)`,
    columns: sql`, stored.topics, stored.bytes`,
    joined: sql`LEFT JOIN stored ON TRUE`
  }
}

const live = (sql: SqlClient) => {
  const nothing = sql.literal("")
  return { locked: nothing, hasRoom: nothing, returned: nothing, stored: nothing, columns: nothing, joined: nothing }
}

/** Locks a row of counters, and tells whether it has room for so many more. Without any limit neither locks nor checks. */
const counters = <Name extends string>(
  sql: SqlClient,
  name: string,
  row: Fragment,
  more: Readonly<Record<Name, number>>,
  limits: Readonly<Record<Name, number | null>>
) => {
  const names = Object.keys(more) as Array<Name>
  const isLimited = sql`CAST(${names.some((one) => limits[one] !== null)} AS BOOLEAN)`
  const fits = names.map((one) => sql`(${sql(one)} + ${more[one]} <= CAST(${limits[one]} AS BIGINT)) IS NOT FALSE`)
  return {
    locked: sql`${sql(name)} AS MATERIALIZED (SELECT ${sql.csv(names.map((one) => sql`${sql(one)}`))} FROM ${row} AND ${isLimited} FOR UPDATE)`,
    hasRoom: sql`(NOT ${isLimited} OR EXISTS (SELECT FROM ${sql(name)} WHERE ${sql.and(fits)}))`
  }
}

/** What the id of a request's mail has more than that of its assignment. */
const afterShareId = noticeId("" as ShareId, "request")
