/**
 * How a submission is written: windows, topic, assignments, mails, usage, totals, in this order. Where a statement is a call,
 * each by itself; where it is a way over the network, all as one. What follows from what was found is TopicStore's to decide.
 */
import { noticeId } from "@partner-commentary/core/mail/Mail"
import type { PersonaId, ShareId } from "@partner-commentary/core/shared/Ids"
import { toIso } from "@partner-commentary/core/shared/Instant"
import { assignments, type Sending, type Submission } from "@partner-commentary/core/topic/Submission"
import { none } from "@partner-commentary/core/topic/TopicStatus"
import { periodOf } from "@partner-commentary/core/usage/BillingPeriod"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { toNewRow } from "./AssignmentRow.ts"
import { isoOfFew, jsonOf } from "./Columns.ts"
import * as Mails from "./MailStore.ts"
import * as TopicRow from "./TopicRow.ts"
import * as TopicTotals from "./TopicTotals.ts"
import * as Usage from "./UsageStore.ts"
import { values } from "./Values.ts"

/** Who holds each window now. Where it is this submission nowhere, nothing else was written. */
export interface Written {
  readonly holders: ReadonlyMap<PersonaId, Sending>
  /** The month with this submission in it. */
  readonly seen: { readonly topics_created: number; readonly units_held: number }
}

interface WindowRow {
  readonly persona_id: PersonaId
  readonly topic_id: Sending["topicId"]
  readonly share_id: Sending["shareId"]
}

type Write = (submission: Submission) => Effect.Effect<Written, SqlError>

export const make = (sql: SqlClient): Write =>
  sql.onDialectOrElse({ pg: () => inOneStatement(sql), orElse: () => inStatements(sql) })

/** What becomes of a window that somebody held: a closed one is taken. */
const whereHeld = (sql: SqlClient, { topic }: Submission) => {
  const isClosed = sql`held.until_at <= ${toIso(topic.createdAt)}`
  return sql`ON CONFLICT (organization_id, environment, persona_id, fingerprint) DO UPDATE SET
      topic_id = CASE WHEN ${isClosed} THEN excluded.topic_id ELSE held.topic_id END,
      share_id = CASE WHEN ${isClosed} THEN excluded.share_id ELSE held.share_id END,
      until_at = CASE WHEN ${isClosed} THEN excluded.until_at ELSE held.until_at END
    RETURNING persona_id, topic_id, share_id`
}

const holdersOf = (rows: ReadonlyArray<WindowRow>): Written["holders"] =>
  new Map(rows.map((row) => [row.persona_id, { topicId: row.topic_id, shareId: row.share_id }]))

const topicOf = ({ topic }: Submission, sent: number) =>
  TopicRow.toRow({ ...topic, status: "pending", counts: { ...none, topic_sent: sent } })

const inStatements =
  (sql: SqlClient): Write =>
  (submission) =>
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
              ${whereHeld(sql, submission)}`
      )
      const sent = assignments(submission, holders)
      if (sent.length === 0) return { holders, seen: nothing }

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
      yield* TopicTotals.add(sql, topic, { pending: 1 })
      return { holders, seen }
    })

/**
 * The rows of all who could be asked go as one parameter, so that the statement is the same for any number of them; those
 * whose window is another's are left out by the statement. Each part reads from the one before it: that is their order.
 */
const inOneStatement =
  (sql: SqlClient): Write =>
  (submission) => {
    const { candidates, fingerprint, topic, windowUntil } = submission
    const ifFree = new Map(candidates.map(({ persona, shareId }) => [persona.id, { topicId: topic.id, shareId }]))
    const iso = isoOfFew()
    const rows = assignments(submission, ifFree).map((one) => toNewRow(one, iso))
    const [first] = rows
    if (first === undefined) return Effect.succeed({ holders: new Map(), seen: nothing })
    const own = Object.keys(first).filter((name) => name !== "position")
    const columns = sql.literal(own.join(", "))
    const { topic_sent: _, ...topicRow } = topicOf(submission, rows.length)
    const mails =
      topic.environment === "live"
        ? sql`, asked_by_mail AS (
            INSERT INTO mails (id, kind, share_id, organization_id, created_at, due_at)
            SELECT id || ${afterShareId}, 'request', id, organization_id, created_at, created_at FROM sent
            ON CONFLICT (id) DO NOTHING)`
        : sql.literal("")
    return Effect.map(
      sql<WindowRow & { readonly topics_created: number | null; readonly units_held: number | null }>`
        WITH wanted AS MATERIALIZED (
          SELECT * FROM json_populate_recordset(NULL::assignments, ${jsonOf(rows)})),
        holders AS (
          INSERT INTO duplicate_windows AS held
            (organization_id, environment, persona_id, fingerprint, topic_id, share_id, until_at)
          SELECT organization_id, environment, persona_id, ${fingerprint}, topic_id, id, ${toIso(windowUntil)}
          FROM wanted ORDER BY persona_id
          ${whereHeld(sql, submission)}),
        sent AS MATERIALIZED (
          SELECT wanted.*, ROW_NUMBER() OVER (ORDER BY position) - 1 AS place
          FROM wanted JOIN holders ON holders.share_id = wanted.id),
        asked AS (
          INSERT INTO assignments (${columns}, position) SELECT ${columns}, place FROM sent RETURNING 1)
        ${mails},
        seen AS (
          INSERT INTO usage_months AS seen (organization_id, environment, period, topics_created, units_held)
          SELECT ${topic.organizationId}, ${topic.environment}, ${periodOf(topic.createdAt)}, 1, COUNT(*)
          FROM asked HAVING COUNT(*) > 0
          ON CONFLICT (organization_id, environment, period) DO UPDATE SET
            topics_created = seen.topics_created + excluded.topics_created,
            units_held = seen.units_held + excluded.units_held
          RETURNING topics_created, units_held),
        written AS (
          INSERT INTO topics (${sql.literal(Object.keys(topicRow).join(", "))}, topic_sent)
          SELECT ${sql.csv(Object.values(topicRow).map((value) => sql`${value}`))}, (SELECT COUNT(*) FROM sent) FROM seen),
        counted AS (
          INSERT INTO topic_totals AS kept (organization_id, environment, status, total)
          SELECT ${topic.organizationId}, ${topic.environment}, 'pending', 1 FROM seen
          ON CONFLICT (organization_id, environment, status) DO UPDATE SET total = kept.total + excluded.total)
        SELECT holders.*, seen.topics_created, seen.units_held FROM holders LEFT JOIN seen ON TRUE`,
      (found) => ({
        holders: holdersOf(found),
        seen: { topics_created: found[0]?.topics_created ?? 0, units_held: found[0]?.units_held ?? 0 }
      })
    )
  }

/** What the id of a request's mail has more than that of its assignment. */
const afterShareId = noticeId("" as ShareId, "request")

const nothing = { topics_created: 0, units_held: 0 }

const byPersona = (one: { readonly persona_id: string }, other: { readonly persona_id: string }): number =>
  one.persona_id < other.persona_id ? -1 : 1
