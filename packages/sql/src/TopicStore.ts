/** Topics: taken in as one transaction of a few statements, read by one query each. How assignments change is AssignmentStore's. */
import { noticeId } from "@partner-commentary/core/mail/Mail"
import type { PersonaId } from "@partner-commentary/core/shared/Ids"
import { toIso } from "@partner-commentary/core/shared/Instant"
import {
  assignments,
  NoValidPersonas,
  results,
  type Sending,
  type Submission
} from "@partner-commentary/core/topic/Submission"
import type { Topic } from "@partner-commentary/core/topic/Topic"
import { none } from "@partner-commentary/core/topic/TopicStatus"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { periodOf } from "@partner-commentary/core/usage/BillingPeriod"
import { refusal } from "@partner-commentary/core/usage/Quota"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { toNewRow } from "./AssignmentRow.ts"
import { isoOfFew } from "./Columns.ts"
import * as KeptFigures from "./KeptFigures.ts"
import * as Mails from "./MailStore.ts"
import * as Tallies from "./Tallies.ts"
import { makeReads } from "./TopicReads.ts"
import * as TopicRow from "./TopicRow.ts"
import * as TopicTotals from "./TopicTotals.ts"
import { transact } from "./Transaction.ts"
import * as Usage from "./UsageStore.ts"
import { values } from "./Values.ts"

export const layer = Layer.effect(
  TopicStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Takes the windows that are free or closed, in the order of the personas, and tells who holds each. */
    const claim = ({ candidates, fingerprint, topic, windowUntil }: Submission) => {
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
      const isClosed = sql`held.until_at <= ${toIso(topic.createdAt)}`
      return sql<{ persona_id: PersonaId; topic_id: Sending["topicId"]; share_id: Sending["shareId"] }>`
        INSERT INTO duplicate_windows AS held ${values(sql, wanted.toSorted(byPersona))}
        ON CONFLICT (organization_id, environment, persona_id, fingerprint) DO UPDATE SET
          topic_id = CASE WHEN ${isClosed} THEN excluded.topic_id ELSE held.topic_id END,
          share_id = CASE WHEN ${isClosed} THEN excluded.share_id ELSE held.share_id END,
          until_at = CASE WHEN ${isClosed} THEN excluded.until_at ELSE held.until_at END
        RETURNING persona_id, topic_id, share_id`
    }

    /** The rows that many submissions share, usage and tallies, come last: they are locked for the shortest time. */
    const submit = Effect.fnUntraced(function* (submission: Submission) {
      const holders = new Map<PersonaId, Sending>()
      for (const row of submission.candidates.length === 0 ? [] : yield* claim(submission)) {
        holders.set(row.persona_id, { topicId: row.topic_id, shareId: row.share_id })
      }
      const answers = results(submission, holders)
      const sent = assignments(submission, holders)
      if (sent.length === 0) return yield* new NoValidPersonas({ results: answers })

      const iso = isoOfFew()
      const topic: Topic = { ...submission.topic, status: "pending", counts: { ...none, topic_sent: sent.length } }
      yield* sql`INSERT INTO topics ${sql.insert(TopicRow.toRow(topic))}`
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
      if (submission.quotas !== null) {
        const held = { topics: seen.topics_created - 1, commentaryUnits: seen.units_held - sent.length }
        const refused = refusal(held, submission.quotas, sent.length)
        if (Option.isSome(refused)) return yield* refused.value
      }
      yield* Tallies.add(sql, topic, [TopicTotals.tally(topic.status, 1), ...KeptFigures.sent(sent)])
      return { topic, results: answers, sent: sent.map(({ id }) => id) }
    })

    return TopicStore.of({ submit: (submission) => transact(sql, submit(submission)), ...makeReads(sql) })
  })
)

const byPersona = (one: { readonly persona_id: string }, other: { readonly persona_id: string }): number =>
  one.persona_id < other.persona_id ? -1 : 1
