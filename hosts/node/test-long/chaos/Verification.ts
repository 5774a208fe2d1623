/**
 * Compares the responses, events and mails that clients, receivers and creators got with the final state of the
 * database.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { ReceivedWebhookRequest } from "../deliveries/Receivers.ts"
import type { ReceivedMail } from "../SmtpServer.ts"

export interface ChaosTestRecord {
  /** The ids of the topics that the service acknowledged to clients. */
  readonly accepted: ReadonlyArray<string>
  readonly arrived: ReadonlyArray<ReceivedWebhookRequest>
  /** Maps receiver paths to webhook ids. */
  readonly hooks: ReadonlyMap<string, string>
  readonly letters: ReadonlyArray<ReceivedMail>
  readonly quota: { readonly organizationId: string; readonly topics: number }
}

type Count = { readonly count: number }

/** Counts rows that must not exist. */
const countInconsistencies = (sql: SqlClient) => ({
  "topics without assignments": sql<Count>`SELECT COUNT(*) AS count FROM topics t
    WHERE NOT EXISTS (SELECT FROM assignments a WHERE a.topic_id = t.id)`,
  "topics whose counts are not their assignments'": sql<Count>`SELECT COUNT(*) AS count FROM topics t
    WHERE (topic_sent, opinion_injected, commentary_generated, creator_approved, declined, expired) <>
      (SELECT COUNT(*) FILTER (WHERE status = 'topic_sent'), COUNT(*) FILTER (WHERE status = 'opinion_injected'),
        COUNT(*) FILTER (WHERE status = 'commentary_generated'), COUNT(*) FILTER (WHERE status = 'creator_approved'),
        COUNT(*) FILTER (WHERE status = 'declined'), COUNT(*) FILTER (WHERE status = 'expired')
        FROM assignments a WHERE a.topic_id = t.id)`,
  "totals that are not the topics'": sql<Count>`SELECT COUNT(*) AS count FROM counters k
    WHERE day = '' AND persona_id = '' AND total <> (SELECT COUNT(*) FROM topics t
      WHERE t.organization_id = k.organization_id AND t.environment = k.environment AND t.status = k.name)`,
  "months that are not the topics'": sql<Count>`SELECT COUNT(*) AS count FROM (SELECT organization_id, environment,
        SUM(topics_created) AS topics, SUM(units_held) AS units FROM usage_months GROUP BY 1, 2) m
    WHERE (topics, units) <> (SELECT (SELECT COUNT(*) FROM topics t
          WHERE t.organization_id = m.organization_id AND t.environment = m.environment),
        (SELECT COUNT(*) FROM assignments a WHERE a.organization_id = m.organization_id
          AND a.environment = m.environment AND a.failure_reason IS NULL))`,
  "open simulated assignments": sql<Count>`SELECT COUNT(*) AS count FROM assignments
    WHERE environment = 'test' AND failure_reason IS NULL AND status <> 'creator_approved'`,
  "assignments with more drafts than one": sql<Count>`SELECT COUNT(*) AS count FROM
    (SELECT share_id FROM drafts GROUP BY share_id HAVING COUNT(*) > 1) d`,
  "settled assignments without exactly one event": sql<Count>`SELECT COUNT(*) AS count FROM assignments a
    WHERE (failure_reason IS NOT NULL OR status = 'creator_approved')
      AND (SELECT COUNT(*) FROM events e WHERE e.share_id = a.id AND e.type <> 'topic.completed') <> 1`,
  "topics without exactly one event of their completion": sql<Count>`SELECT COUNT(*) AS count FROM topics t
    WHERE (SELECT COUNT(*) FROM events e JOIN assignments a ON a.id = e.share_id
      WHERE a.topic_id = t.id AND e.type = 'topic.completed') <> CASE t.status WHEN 'completed' THEN 1 ELSE 0 END`,
  "events without their delivery": sql<Count>`SELECT COUNT(*) AS count FROM events e
    WHERE e.type <> 'topic.completed' AND (SELECT COUNT(*) FROM deliveries d WHERE d.event_id = e.id) <> 1`,
  "deliveries that are not delivered": sql<Count>`SELECT COUNT(*) AS count FROM deliveries WHERE state <> 'delivered'`,
  "deliveries without a success": sql<Count>`SELECT COUNT(*) AS count FROM deliveries d
    WHERE (SELECT COUNT(*) FROM delivery_attempts a WHERE a.webhook_id = d.webhook_id AND a.event_id = d.event_id
      AND a.failure IS NULL) = 0`,
  "requests to creators that were not sent": sql<Count>`SELECT COUNT(*) AS count FROM assignments a
    WHERE environment = 'live' AND (SELECT COUNT(*) FROM mails m
      WHERE m.share_id = a.id AND m.kind = 'request' AND m.state = 'sent') <> 1`,
  "claims of keys without an answer": sql<Count>`SELECT COUNT(*) AS count FROM stored_responses WHERE status IS NULL`,
  "windows of topics that are not there": sql<Count>`SELECT COUNT(*) AS count FROM duplicate_windows w
    WHERE NOT EXISTS (SELECT FROM assignments a WHERE a.id = w.share_id AND a.topic_id = w.topic_id)`
})

export const findViolations = ({ accepted, arrived, hooks, letters, quota }: ChaosTestRecord) =>
  Effect.fnUntraced(function* (sql: SqlClient) {
    const mistakes: Array<string> = []
    for (const [what, counted] of Object.entries(countInconsistencies(sql))) {
      const [row] = yield* counted
      if (row?.count !== 0) mistakes.push(`${row?.count} ${what}`)
    }

    const topics = yield* sql<{
      readonly id: string
      readonly organization_id: string
    }>`SELECT id, organization_id FROM topics`
    const there = new Set(topics.map(({ id }) => id))
    const lost = accepted.filter((id) => !there.has(id))
    if (lost.length > 0) mistakes.push(`${lost.length} accepted topics are lost`)
    if (new Set(accepted).size !== accepted.length) mistakes.push("two requests were told of one topic")
    if (there.size !== accepted.length) mistakes.push(`${there.size} topics, ${accepted.length} accepted`)
    const ofQuota = topics.filter(({ organization_id }) => organization_id === quota.organizationId).length
    if (ofQuota !== quota.topics) mistakes.push(`${ofQuota} topics against a quota of ${quota.topics}`)

    const events = yield* sql<{ readonly id: string; readonly payload: string; readonly webhook_id: string }>`
      SELECT id, payload, webhook_id FROM events JOIN deliveries ON event_id = id`
    const taken = new Map<string, string>()
    for (const { body, forged, hook, id, status } of arrived) {
      if (forged !== null) mistakes.push(`${id} at ${hook}: ${forged}`)
      if (status === 204) taken.set(`${hooks.get(hook)} ${id}`, body)
    }
    const missing = events.filter(({ id, payload, webhook_id }) => taken.get(`${webhook_id} evt_${id}`) !== payload)
    if (missing.length > 0) mistakes.push(`${missing.length} events never came, or came otherwise`)
    if (taken.size !== events.length) mistakes.push(`${taken.size} events came, of ${events.length}`)

    // If a worker is paused until its lease has ended, another worker sends the delivery. When the first worker
    // continues, it sends the delivery again. The log then has both attempts, but the delivery's state does not change.
    const [logged] = yield* sql<Count>`SELECT COUNT(*) AS count FROM delivery_attempts WHERE failure IS NULL`
    const answered = arrived.filter(({ status }) => status === 204).length
    if ((logged?.count ?? 0) > answered) mistakes.push(`${logged?.count} successes are logged, of ${answered} answered`)

    const asked = yield* sql<{ readonly id: string }>`SELECT id FROM assignments WHERE environment = 'live'`
    const requests = Map.groupBy(letters, ({ shareId }) => shareId)
    for (const { id } of asked) {
      const ids = new Set(requests.get(id)?.map(({ messageId }) => messageId))
      if (ids.size !== 1) mistakes.push(`${id}: ${ids.size} different mails`)
    }
    return {
      mistakes,
      figures: {
        topics: topics.length,
        events: events.length,
        arrived: arrived.length,
        repeats: answered - taken.size,
        mails: letters.length,
        creators: asked.length,
        lost: lost.length + missing.length
      }
    }
  })

/** Returns the public ids of all events of the webhook's owner, in the order of their commits. */
export const readEventIdsOfWebhookOwner = (webhookId: string) => (sql: SqlClient) =>
  Effect.map(
    sql<{ readonly event_id: string }>`SELECT p.event_id FROM event_positions p
      JOIN webhooks w ON w.organization_id = p.organization_id AND w.environment = p.environment
      WHERE w.id = ${webhookId} ORDER BY p.position`,
    (rows) => rows.map(({ event_id }) => `evt_${event_id}`)
  )

export interface RemainingWork {
  readonly assignments: number
  readonly deliveries: number
  readonly mails: number
}

/** Counts the remaining work: simulated assignments in progress, undelivered events and waiting mails. */
export const countRemainingWork = (sql: SqlClient) =>
  Effect.map(
    sql<RemainingWork>`SELECT
      (SELECT COUNT(*) FROM assignments WHERE environment = 'test' AND due_at IS NOT NULL) AS assignments,
      (SELECT COUNT(*) FROM deliveries WHERE state <> 'delivered') AS deliveries,
      (SELECT COUNT(*) FROM mails WHERE state = 'waiting') AS mails`,
    ([row]) => row
  )
