/**
 * Writes one or many submissions on Postgres with one statement, because each statement needs a network round trip. The
 * statement has the same text for any number of topics and personas, so that Postgres can reuse the prepared statement.
 */
import { toIso } from "@partner-commentary/core/shared/Instant"
import { makeNewAssignments, type Submission } from "@partner-commentary/core/topic/Submission"
import { findBillingPeriod } from "@partner-commentary/core/usage/BillingPeriod"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { toNewAssignmentRow } from "../assignments/AssignmentRow.ts"
import { makeIsoFormatter, rowsToJson } from "../database/Columns.ts"
import * as Writes from "./SubmissionWrites.ts"

interface Row extends Writes.DuplicateWindowRow {
  readonly topics_created: number | null
  readonly units_held: number | null
  /** The two storage columns exist only in the test environment. */
  readonly topics?: number | null
  readonly bytes?: number | null
}

/** A submission, and the rows of its assignments. */
export interface PreparedSubmission {
  readonly submission: Submission
  readonly rows: ReadonlyArray<ReturnType<typeof toNewAssignmentRow>>
}

/**
 * Prepares the rows of a submission as if no duplicate window were in use. The SQL statement that writes the rows skips
 * each assignment whose duplicate window belongs to another submission.
 */
export const prepareSubmission = (submission: Submission): PreparedSubmission => {
  const iso = makeIsoFormatter()
  const ifFree = new Map(
    submission.candidates.map(({ persona, shareId }) => [persona.id, { topicId: submission.topic.id, shareId }])
  )
  return { submission, rows: makeNewAssignments(submission, ifFree).map((one) => toNewAssignmentRow(one, iso)) }
}

/**
 * Writes a batch of submissions that have the same owner, the same day and different fingerprints. Each part of the
 * statement reads from the previous part, so that the parts run in this order. If `bounds` is given, the statement
 * first locks the counters that have limits, so that the check of the limits stays valid until the commit. If a counter
 * is missing or a limit is exceeded, the statement writes nothing and returns no rows.
 */
export const writeSubmissions = Effect.fnUntraced(function* (
  sql: SqlClient,
  prepared: ReadonlyArray<PreparedSubmission>,
  bounds: Pick<Submission, "quotas" | "storage"> | null
): Effect.fn.Return<ReadonlyArray<Writes.WrittenSubmission>, SqlError> {
  const rows = prepared.flatMap(({ rows }) => rows)
  const submissions = prepared.map(({ submission }) => submission)
  const [first] = rows
  const [one] = submissions
  if (first === undefined || one === undefined)
    return submissions.map(() => ({ holders: new Map(), ...Writes.zeroSubmissionUsage }))
  const { createdAt, environment, organizationId } = one.topic
  const topics = submissions.map((submission) => Writes.makeTopicRow(submission, 0))
  const windows = submissions.map(({ fingerprint, topic, windowUntil }) => {
    return { topic_id: topic.id, created_at: toIso(topic.createdAt), fingerprint, until_at: toIso(windowUntil) }
  })
  const usage = limitedCounters(
    sql,
    "month",
    sql`usage_months WHERE organization_id = ${organizationId} AND environment = ${environment}
      AND period = ${findBillingPeriod(createdAt)}`,
    { topics_created: submissions.length, units_held: rows.length },
    {
      topics_created: bounds?.quotas?.topics_per_month ?? null,
      units_held: bounds?.quotas?.commentaries_per_month ?? null
    }
  )
  const test = environment === "test" ? inTestStorage(sql, submissions, bounds?.storage?.limits) : live(sql)
  const mails =
    environment === "live"
      ? sql`requested AS (${Writes.insertRequestMails(sql, { rows: sql`sent` })}),`
      : sql.literal("")
  const columns = sql.literal(
    Object.keys(first)
      .filter((name) => name !== "position")
      .join(", ")
  )
  const topicColumns = Object.keys(topics[0] ?? {}).filter((name) => name !== "topic_sent")
  const given = sql`(organization_id, environment, persona_id, fingerprint, topic_id, share_id, until_at)
    SELECT organization_id, environment, persona_id, fingerprint, topic_id, id, until_at
    FROM candidates JOIN windows USING (topic_id) ORDER BY fingerprint, persona_id`
  const topicCount = sql.literal("COUNT(DISTINCT topic_id)")
  const moment = sql`(SELECT created_at FROM windows WHERE windows.topic_id = excluded.topic_id)`
  const found = yield* sql<Row>`
    WITH ${usage.locked}, ${test.locked}
    candidates AS MATERIALIZED (
      SELECT * FROM json_populate_recordset(NULL::assignments, CAST(CAST(${rowsToJson(rows)} AS TEXT) AS JSON)) WHERE ${usage.hasRoom} ${test.hasRoom}),
    windows AS MATERIALIZED (
      SELECT * FROM json_to_recordset(CAST(CAST(${rowsToJson(windows)} AS TEXT) AS JSON))
        AS given (topic_id TEXT, created_at TEXT, fingerprint TEXT, until_at TEXT)),
    holders AS (${Writes.insertDuplicateWindows(sql, given, moment)}),
    sent AS MATERIALIZED (
      SELECT candidates.*, ROW_NUMBER() OVER (PARTITION BY candidates.topic_id ORDER BY position) - 1 AS place
      FROM candidates JOIN holders ON holders.share_id = candidates.id),
    inserted AS (
      INSERT INTO assignments (${columns}, position) SELECT ${columns}, place FROM sent RETURNING topic_id),
    ${mails}
    usage AS (${Writes.addUsage(sql, one.topic, { rows: sql`inserted`, topicCount })}),
    written AS (
      INSERT INTO topics (${sql.literal(topicColumns.join(", "))}, topic_sent)
      SELECT ${sql.literal(topicColumns.map((name) => `given.${name}`).join(", "))},
        own.total
      FROM (SELECT topic_id, COUNT(*) AS total FROM sent, usage GROUP BY topic_id) AS own
      JOIN json_populate_recordset(NULL::topics, CAST(CAST(${rowsToJson(topics)} AS TEXT) AS JSON)) AS given ON given.id = own.topic_id ${test.returned}),
    ${test.stored}
    counted AS (${Writes.addCounters(sql, one.topic, { rows: sql`sent, usage`, topicCount })})
    SELECT holders.*, usage.topics_created, usage.units_held ${test.columns}
    FROM holders LEFT JOIN usage ON TRUE ${test.joined}`
  if (found.length === 0) return []
  const [{ bytes = null, topics: stored = null, topics_created, units_held }] = found as readonly [Row]
  const counted = {
    usage: { topics_created: topics_created ?? 0, units_held: units_held ?? 0 },
    stored: stored === null || bytes === null ? null : { topics: stored, bytes }
  }
  return submissions.map(({ fingerprint }) => {
    return { holders: Writes.toWindowHolders(found.filter((row) => row.fingerprint === fingerprint)), ...counted }
  })
})

/** Returns the parts of the statement that count the storage of the test environment. */
const inTestStorage = (
  sql: SqlClient,
  submissions: ReadonlyArray<Submission>,
  limits: NonNullable<Submission["storage"]>["limits"] | undefined
) => {
  const [one] = submissions as readonly [Submission]
  const bytes = submissions.reduce((total, { storage }) => total + (storage?.bytes ?? 0), 0)
  const storage = limitedCounters(
    sql,
    "storage",
    sql`test_storage WHERE organization_id = ${one.topic.organizationId}`,
    { topics: submissions.length, bytes },
    { topics: limits?.topics ?? null, bytes: limits?.bytes ?? null }
  )
  return {
    locked: sql`${storage.locked},`,
    hasRoom: sql`AND ${storage.hasRoom}`,
    returned: sql`RETURNING stored_bytes`,
    stored: sql`stored AS (${Writes.addTestStorage(sql, one.topic, sql`written`)}),`,
    columns: sql`, stored.topics, stored.bytes`,
    joined: sql`LEFT JOIN stored ON TRUE`
  }
}

const live = (sql: SqlClient) => {
  const nothing = sql.literal("")
  return { locked: nothing, hasRoom: nothing, returned: nothing, stored: nothing, columns: nothing, joined: nothing }
}

/**
 * Locks a row of counters, and checks that the increments stay within the limits. If no counter has a limit, the
 * statement locks no row and the check succeeds.
 */
const limitedCounters = <Name extends string>(
  sql: SqlClient,
  name: string,
  row: Fragment,
  increments: Readonly<Record<Name, number>>,
  limits: Readonly<Record<Name, number | null>>
) => {
  const names = Object.keys(increments) as Array<Name>
  const isLimited = sql`CAST(${names.some((one) => limits[one] !== null)} AS BOOLEAN)`
  const fits = names.map(
    (one) => sql`(${sql(one)} + ${increments[one]} <= CAST(${limits[one]} AS BIGINT)) IS NOT FALSE`
  )
  return {
    locked: sql`${sql(name)} AS MATERIALIZED (SELECT ${sql.csv(names.map((one) => sql`${sql(one)}`))} FROM ${row} AND ${isLimited} FOR UPDATE)`,
    hasRoom: sql`(NOT ${isLimited} OR EXISTS (SELECT FROM ${sql(name)} WHERE ${sql.and(fits)}))`
  }
}
