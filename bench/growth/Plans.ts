/** Records the SQL statements that the stores send, and runs EXPLAIN for them on the seeded data. */
import { PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import type { EventId, TopicId, WebhookId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { referenceLookupLimits } from "@partner-commentary/core/topic/Topics"
import { DeliveryLog } from "@partner-commentary/core/webhook/DeliveryLog"
import { EventLog } from "@partner-commentary/core/webhook/EventLog"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"

const day = 86_400_000

/** Lists the store calls that the benchmark's reads make. */
const reads = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  const topics = yield* TopicStore
  const events = yield* EventLog
  const deliveries = yield* DeliveryLog
  const performance = yield* PerformanceStore
  const [middle] = yield* sql<{
    readonly id: TopicId
    readonly owner: Owner["organizationId"]
    readonly created_at: string
    readonly reference: string
  }>`
    SELECT id, organization_id AS owner, created_at, external_reference AS reference FROM topics
    ORDER BY created_at OFFSET (SELECT COUNT(*) / 2 FROM topics) LIMIT 1`
  const [webhook] = yield* sql<{ readonly id: WebhookId }>`SELECT id FROM webhooks LIMIT 1`
  const [event] = yield* sql<{
    readonly id: EventId
  }>`SELECT id FROM events ORDER BY id OFFSET (SELECT COUNT(*) / 2 FROM events) LIMIT 1`
  if (middle === undefined || webhook === undefined || event === undefined) return []
  const owner: Owner = { organizationId: middle.owner, environment: "live" }
  const cursor = { createdAt: Date.parse(middle.created_at), id: middle.id }
  const now = Date.now()
  const maxBytes = 256 * 1024
  const since = now - 30 * day
  const list = { owner, limit: 20 }
  return [
    ["GET /topics/{id}/status", topics.progress(owner, middle.id)],
    ["GET /topics/{id}, /commentaries", topics.find(owner, middle.id)],
    ["GET /topics/by-reference/{ref}", topics.byReference(owner, middle.reference, referenceLookupLimits)],
    ["GET /topics, offset 9,900", topics.list({ ...list, status: null, from: { offset: 9900 } })],
    ["GET /topics, cursor in the middle", topics.list({ ...list, status: null, from: { cursor } })],
    ["GET /topics, completed, offset 9,000", topics.list({ ...list, status: "completed", from: { offset: 9000 } })],
    ["GET /topics, completed, cursor in the middle", topics.list({ ...list, status: "completed", from: { cursor } })],
    ["GET /topics, pending", topics.list({ ...list, status: "pending", from: { offset: 0 } })],
    [
      "GET /topics, pending or completed, oldest first",
      topics.list({ ...list, status: ["pending", "completed"], oldestFirst: true, from: { offset: 0 } })
    ],
    [
      "GET /topics, one reference",
      topics.list({ ...list, status: null, reference: middle.reference, from: { offset: 0 } })
    ],
    [
      "GET /topics, created before the middle",
      topics.list({
        ...list,
        status: null,
        created: { after: null, before: cursor.createdAt },
        from: { offset: 0 }
      })
    ],
    [
      "GET /topics, changed after the middle",
      topics.list({ ...list, status: null, updatedAfter: cursor.createdAt, from: { offset: 0 } })
    ],
    [
      "GET /events, cursor in the middle",
      events.page({ owner, type: null, since, forward: false, behind: event.id, limit: 20, maxBytes })
    ],
    [
      "GET /events, after one in the middle",
      events.page({ owner, type: null, since: 0, forward: true, behind: event.id, limit: 20, maxBytes })
    ],
    [
      "GET /events, forward from a moment",
      events.page({ owner, type: null, since, forward: true, behind: null, limit: 20, maxBytes })
    ],
    [
      "GET /events, one type",
      events.page({ owner, type: "commentary.failed", since, forward: false, behind: null, limit: 20, maxBytes })
    ],
    ["GET /webhooks", deliveries.waiting([webhook.id])],
    [
      "GET /webhooks/{id}/deliveries, failed",
      deliveries.page({ webhookId: webhook.id, state: "failed", since, behind: null, limit: 21 }, 10, now)
    ],
    ["GET /metrics/performance, whole days", performance.days(owner, Math.floor(since / day) * day, null)],
    [
      "GET /metrics/performance, part of a day",
      performance.page(owner, { start: since, end: since + day / 2 }, null, 200)
    ]
  ] as ReadonlyArray<readonly [string, Effect.Effect<unknown>]>
})

interface Run {
  readonly text: string
  readonly params: ReadonlyArray<unknown>
}

/**
 * Makes a layer that records every statement. A recorder in a caller's fiber would miss batched statements, which run
 * in other fibers.
 */
const layerStatementRecorder = (runs: Array<Run>) =>
  Layer.succeed(Statement.CurrentTransformer, (statement) =>
    Effect.sync(() => {
      const [text, params] = statement.compile()
      runs.push({ text, params })
      return statement
    })
  )

const explainReads = Effect.fnUntraced(function* (runs: Array<Run>) {
  const sql = yield* SqlClient.SqlClient
  const lines: Array<string> = []
  for (const [name, effect] of yield* reads()) {
    lines.push(`== ${name}`)
    runs.length = 0
    yield* effect
    for (const { params, text } of [...runs]) {
      lines.push(text.replaceAll(/\s+/g, " ").trim())
      const plan = yield* sql.unsafe<Record<string, string>>(`EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ${text}`, params)
      for (const row of plan) lines.push(`    ${row["QUERY PLAN"]}`)
      lines.push("")
    }
  }
  return lines.join("\n")
})

export const explainQueryPlans = (url: string): Promise<string> => {
  const runs: Array<Run> = []
  const stores = Postgres.layerWithoutMigration({ url: Redacted.make(url) })
  return Effect.runPromise(Effect.provide(explainReads(runs), Layer.provideMerge(stores, layerStatementRecorder(runs))))
}
