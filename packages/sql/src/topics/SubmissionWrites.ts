/**
 * Builds the rows that a submission writes: windows, topic, assignments, mails, usage, test storage and counters.
 * SqliteSubmission runs one statement for each table, in the order from windows to counters. PostgresSubmission runs
 * one statement for all tables.
 */
import { makeAssignmentMailId } from "@partner-commentary/core/mail/Mail"
import type { PersonaId, ShareId } from "@partner-commentary/core/shared/Ids"
import type { AssignmentReference, Submission } from "@partner-commentary/core/topic/Submission"
import type { TestStorageAmount as TestStored } from "@partner-commentary/core/topic/TestStorage"
import { emptyTopicCounts } from "@partner-commentary/core/topic/TopicStatus"
import { findBillingPeriod } from "@partner-commentary/core/usage/BillingPeriod"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Counters from "../reporting/Counters.ts"
import { formatUtcDay } from "../reporting/DailyMetrics.ts"
import * as TestEnvironmentStorage from "../sandbox/TestEnvironmentStorage.ts"
import * as TopicRow from "./TopicRow.ts"

/**
 * For each persona, the assignment to which the duplicate window belongs. If no duplicate window belongs to the
 * submission itself, the submission has written no topic.
 */
export type DuplicateWindowHolders = ReadonlyMap<PersonaId, AssignmentReference>

/** The organization's usage in the month of the topic. */
export interface MonthlyUsageRow {
  readonly topics_created: number
  readonly units_held: number
}

export interface WrittenSubmission {
  readonly holders: DuplicateWindowHolders
  /** The usage of the month, including this submission. */
  readonly usage: MonthlyUsageRow
  /** The used test storage, including this submission. Null for a submission in the live environment. */
  readonly stored: TestStored | null
}

export const zeroSubmissionUsage: Pick<WrittenSubmission, "usage" | "stored"> = {
  usage: { topics_created: 0, units_held: 0 },
  stored: null
}

export interface DuplicateWindowRow {
  readonly persona_id: PersonaId
  readonly fingerprint: string
  readonly topic_id: AssignmentReference["topicId"]
  readonly share_id: AssignmentReference["shareId"]
}

export const toWindowHolders = (rows: ReadonlyArray<DuplicateWindowRow>): DuplicateWindowHolders =>
  new Map(rows.map((row) => [row.persona_id, { topicId: row.topic_id, shareId: row.share_id }]))

/**
 * Inserts duplicate windows from `rows`, which contains the columns and rows of the INSERT. If an existing window ended
 * at or before `moment`, the new submission becomes the holder of the window.
 */
export const insertDuplicateWindows = (sql: SqlClient, rows: Fragment, moment: Fragment) => {
  const isClosed = sql`held.until_at <= ${moment}`
  return sql<DuplicateWindowRow>`INSERT INTO duplicate_windows AS held ${rows}
    ON CONFLICT (organization_id, environment, persona_id, fingerprint) DO UPDATE SET
      topic_id = CASE WHEN ${isClosed} THEN excluded.topic_id ELSE held.topic_id END,
      share_id = CASE WHEN ${isClosed} THEN excluded.share_id ELSE held.share_id END,
      until_at = CASE WHEN ${isClosed} THEN excluded.until_at ELSE held.until_at END
    RETURNING persona_id, fingerprint, topic_id, share_id`
}

export const makeTopicRow = ({ storage, topic }: Submission, sent: number) => ({
  ...TopicRow.toRow({ ...topic, status: "pending", counts: { ...emptyTopicCounts, topic_sent: sent } }),
  ...(storage === null ? {} : { stored_bytes: storage.bytes })
})

/** The suffix that turns the id of an assignment into the id of its request mail. */
const requestSuffix = makeAssignmentMailId("" as ShareId, "request")

type Submitted = Submission["topic"]

/** SQL for a relation that contains the new assignments, and an SQL expression for the number of their topics. */
export interface NewAssignmentsRelation {
  readonly rows: Fragment
  readonly topicCount: Fragment
}

export const insertRequestMails = (sql: SqlClient, sent: Pick<NewAssignmentsRelation, "rows">) =>
  sql`INSERT INTO mails (id, kind, share_id, organization_id, created_at, due_at)
    SELECT id || ${requestSuffix}, 'request', id, organization_id, created_at, created_at FROM ${sent.rows} WHERE TRUE
    ON CONFLICT (id) DO NOTHING`

export const addUsage = (
  sql: SqlClient,
  { createdAt, environment, organizationId }: Submitted,
  sent: NewAssignmentsRelation
) =>
  sql<MonthlyUsageRow>`INSERT INTO usage_months AS month (organization_id, environment, period, topics_created, units_held)
    SELECT ${organizationId}, ${environment}, ${findBillingPeriod(createdAt)}, ${sent.topicCount}, COUNT(*)
    FROM ${sent.rows} WHERE TRUE HAVING COUNT(*) > 0
    ON CONFLICT (organization_id, environment, period) DO UPDATE SET
      topics_created = month.topics_created + excluded.topics_created,
      units_held = month.units_held + excluded.units_held
    RETURNING topics_created, units_held`

/** Adds new topics to the test storage. `topics` is the relation that contains the new topics. */
export const addTestStorage = (sql: SqlClient, { organizationId }: Submitted, topics: Fragment) =>
  sql<TestStored>`INSERT INTO test_storage AS stored (organization_id, topics, bytes)
    SELECT ${organizationId}, COUNT(*), SUM(stored_bytes) FROM ${topics} WHERE TRUE HAVING COUNT(*) > 0
    ${TestEnvironmentStorage.makeOnConflictAddClause(sql)} ${TestEnvironmentStorage.makeUsageReturningClause(sql)}`

export const addCounters = (
  sql: SqlClient,
  { createdAt, environment, organizationId }: Submitted,
  sent: NewAssignmentsRelation
) => {
  // All writers update the counters in the order of this clause to avoid deadlocks. SQLite needs no order, because
  // SQLite has only one writer at a time.
  const inOrder = sql.onDialectOrElse({
    pg: () => sql.literal(`ORDER BY day COLLATE "C", persona_id COLLATE "C", name COLLATE "C"`),
    orElse: () => sql.literal("")
  })
  return sql`INSERT INTO counters AS counter (organization_id, environment, day, persona_id, name, total, persona_name)
    SELECT ${organizationId}, ${environment}, few.* FROM (
      SELECT '' AS day, '' AS persona_id, 'pending' AS name, ${sent.topicCount} AS total, NULL AS persona_name
        FROM ${sent.rows} HAVING COUNT(*) > 0
      UNION ALL
      SELECT ${formatUtcDay(createdAt)}, persona_id, 'sent', COUNT(*), substr(MAX(created_at || persona_name), ${isoLength + 1})
        FROM ${sent.rows} GROUP BY persona_id) AS few
    WHERE TRUE ${inOrder} ${Counters.makeOnConflictAddClause(sql)}`
}

const isoLength = "2026-01-30T09:00:00.000Z".length
