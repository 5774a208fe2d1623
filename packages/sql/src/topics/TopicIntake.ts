/**
 * How a submission is written where a statement is a call, as on SQLite: windows, topic, assignments, mails, usage, test storage, counters, in this order,
 * each by itself. Where it is a way over the network, TopicIntakeAtOnce has the same in one. What follows is TopicStore's to decide.
 */
import { noticeId } from "@partner-commentary/core/mail/Mail"
import type { PersonaId } from "@partner-commentary/core/shared/Ids"
import { toIso } from "@partner-commentary/core/shared/Instant"
import { type AssignmentReference, assignments, type Submission } from "@partner-commentary/core/topic/Submission"
import type { TestStorage as TestStored } from "@partner-commentary/core/topic/TestStorage"
import { none } from "@partner-commentary/core/topic/TopicStatus"
import { periodOf } from "@partner-commentary/core/usage/BillingPeriod"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { toNewRow } from "../assignments/AssignmentRow.ts"
import { isoOfFew } from "../database/Columns.ts"
import { values } from "../database/Values.ts"
import * as Mails from "../mail/MailStore.ts"
import * as Counters from "../reporting/Counters.ts"
import * as DailyMetrics from "../reporting/DailyMetrics.ts"
import * as TestStorage from "../sandbox/TestStorage.ts"
import * as Usage from "../usage/UsageStore.ts"
import * as TopicRow from "./TopicRow.ts"
import * as TopicTotals from "./TopicTotals.ts"

/** Who holds each window now. Where it is this submission nowhere, nothing else was written. */
export type Holders = ReadonlyMap<PersonaId, AssignmentReference>

export interface Written {
  readonly holders: Holders
  /** The month with this submission in it. */
  readonly seen: { readonly topics_created: number; readonly units_held: number }
  /** What the test environment stores with this submission; null in the live one. */
  readonly stored: TestStored | null
}

export const nothing: Pick<Written, "seen" | "stored"> = { seen: { topics_created: 0, units_held: 0 }, stored: null }

export interface WindowRow {
  readonly persona_id: PersonaId
  readonly topic_id: AssignmentReference["topicId"]
  readonly share_id: AssignmentReference["shareId"]
}

/** What becomes of a window that somebody held: one that is closed at that moment is taken. */
export const whereHeld = (sql: SqlClient, moment: Fragment) => {
  const isClosed = sql`held.until_at <= ${moment}`
  return sql`ON CONFLICT (organization_id, environment, persona_id, fingerprint) DO UPDATE SET
      topic_id = CASE WHEN ${isClosed} THEN excluded.topic_id ELSE held.topic_id END,
      share_id = CASE WHEN ${isClosed} THEN excluded.share_id ELSE held.share_id END,
      until_at = CASE WHEN ${isClosed} THEN excluded.until_at ELSE held.until_at END`
}

export const holdersOf = (rows: ReadonlyArray<WindowRow>): Holders =>
  new Map(rows.map((row) => [row.persona_id, { topicId: row.topic_id, shareId: row.share_id }]))

export const topicOf = ({ storage, topic }: Submission, sent: number) => ({
  ...TopicRow.toRow({ ...topic, status: "pending", counts: { ...none, topic_sent: sent } }),
  ...(storage === null ? {} : { stored_bytes: storage.bytes })
})

export const inStatements =
  (sql: SqlClient) =>
  (submission: Submission): Effect.Effect<Written, SqlError> =>
    Effect.gen(function* () {
      const { candidates, fingerprint, topic, windowUntil } = submission
      const until_at = toIso(windowUntil)
      const wanted = candidates.map(({ persona, shareId }) => ({
        organization_id: topic.organizationId,
        environment: topic.environment,
        persona_id: persona.id,
        fingerprint,
        topic_id: topic.id,
        share_id: shareId,
        until_at
      }))
      const holders = holdersOf(
        wanted.length === 0
          ? []
          : yield* sql<WindowRow>`INSERT INTO duplicate_windows AS held ${values(sql, wanted.toSorted(byPersona))}
              ${whereHeld(sql, sql`${toIso(topic.createdAt)}`)} RETURNING persona_id, topic_id, share_id`
      )
      const sent = assignments(submission, holders)
      if (sent.length === 0) return { holders, ...nothing }

      const iso = isoOfFew()
      yield* sql`INSERT INTO topics ${sql.insert(topicOf(submission, sent.length))}`
      yield* sql`INSERT INTO assignments ${values(
        sql,
        sent.map((one) => toNewRow(one, iso))
      )}`
      if (topic.environment === "live") {
        yield* Mails.insert(
          sql,
          sent.map(({ id: shareId, organizationId, createdAt }) => {
            return {
              id: noticeId(shareId, "request"),
              kind: "request",
              shareId,
              organizationId,
              address: null,
              createdAt
            }
          })
        )
      }
      const seen = yield* Usage.count(sql, topic, periodOf(topic.createdAt), { topics: 1, units: sent.length })
      const stored =
        submission.storage === null
          ? null
          : yield* TestStorage.add(sql, topic.organizationId, { topics: 1, bytes: submission.storage.bytes })
      yield* Counters.add(sql, topic, [TopicTotals.increment("pending", 1), ...DailyMetrics.sent(sent)])
      return { holders, seen, stored }
    })

const byPersona = (one: { readonly persona_id: string }, other: { readonly persona_id: string }): number =>
  one.persona_id < other.persona_id ? -1 : 1
