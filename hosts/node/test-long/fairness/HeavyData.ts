/**
 * Seeds topics, commentaries, events, deliveries and daily metrics of one organization. The SQL statements work on
 * SQLite and on Postgres.
 */
import { randomUUID } from "node:crypto"
import { makeLowestEventId } from "@partner-commentary/core/webhook/Event"
import { valuesClause } from "@partner-commentary/sql/database/Clauses"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"

export interface SeedDataSize {
  readonly personas: number
  readonly topics: number
  readonly assignments: number
  readonly events: number
  readonly days: number
  readonly commentary: string
  readonly metadata: string
}

/**
 * All sizes are the API's maximum: 4000 three-byte code points per commentary, 16 KiB of metadata, and 1000 entries per
 * external reference.
 */
export const heavyDataSize: SeedDataSize = {
  personas: 100,
  topics: 100,
  assignments: 10,
  events: 400,
  days: 366,
  commentary: "語".repeat(4000),
  metadata: JSON.stringify({ note: "x".repeat(16_000) })
}

/**
 * The data size for each of the many organizations that attack at the same time. Each organization has fewer topics
 * than a single attacker, but gets equally large responses from the API.
 */
export const busyDataSize: SeedDataSize = { ...heavyDataSize, topics: 20, days: 90 }

export const smallDataSize: SeedDataSize = {
  personas: 2,
  topics: 2,
  assignments: 1,
  events: 20,
  days: 1,
  commentary: "A short commentary.",
  metadata: "{}"
}

export interface SeededResourceIds {
  /** A topic with the maximum number of personas. */
  readonly topic: string
  /** The external reference of all topics except the largest topic. */
  readonly reference: string
  readonly shares: ReadonlyArray<string>
  readonly commentaries: ReadonlyArray<readonly [topic: string, commentary: string]>
  readonly webhook: string
  readonly deliveries: ReadonlyArray<string>
}

const reference = "heavy"

type Row = Readonly<Record<string, string | number | null>>
export type InsertRows = (table: string, rows: ReadonlyArray<Row>) => Effect.Effect<void>

/** Inserts rows in batches, because a SQL statement may have only a limited number of parameters. */
export const insertInBatches =
  (sql: SqlClient.SqlClient): InsertRows =>
  (table, rows) =>
    Effect.orDie(
      Effect.forEach(
        Array.from({ length: Math.ceil(rows.length / 200) }, (_, batch) => rows.slice(batch * 200, (batch + 1) * 200)),
        (batch) => sql`INSERT INTO ${sql(table)} ${valuesClause(sql, batch)}`,
        { discard: true }
      )
    )

const at = (millis: number) => new Date(millis).toISOString()

interface Owner {
  readonly organization: string
  readonly personas: ReadonlyArray<string>
  readonly size: SeedDataSize
  readonly now: number
}

export const writeHeavyData = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, insert: InsertRows, owner: Owner) {
  const { now, organization, personas, size } = owner
  const owned = { organization_id: organization, environment: "live" }
  const topics = Array.from({ length: size.topics + 1 }, (_, index) => ({
    id: randomUUID() as string,
    personas: index === 0 ? personas : personas.slice(0, size.assignments)
  }))
  yield* insert(
    "topics",
    topics.map(({ id, personas: asked }, index) => ({
      ...owned,
      id,
      status: "completed",
      created_at: at(now - index),
      topic_sent: 0,
      opinion_injected: 0,
      commentary_generated: 0,
      creator_approved: asked.length,
      declined: 0,
      expired: 0,
      abandoned: 0,
      external_reference: index === 0 ? null : reference,
      organization_name: "Seeded",
      output_types: '["text"]',
      content: "Which team improves the most, and why? ".repeat(12),
      metadata: size.metadata
    }))
  )
  const assignments = topics.flatMap(({ id: topic, personas: asked }) =>
    asked.map((persona, position) => ({ id: randomUUID() as string, topic, persona, position }))
  )
  yield* insert(
    "assignments",
    assignments.map(({ id, persona, position, topic }) => ({
      ...owned,
      topic_id: topic,
      position,
      id,
      persona_id: persona,
      persona_name: "Persona",
      status: "creator_approved",
      status_updated_at: at(now),
      persona_image_url: "",
      creator_name: "Creator",
      creator_email: `${persona}@creators.example`,
      creator_key: `${persona}@creators.example`,
      created_at: at(now),
      notified_at: at(now),
      respond_by: at(now),
      responded_at: at(now),
      first_drafted_at: at(now),
      perspective: size.commentary.slice(0, 1000),
      commentary_id: id,
      commentary_draft_id: id,
      commentary_approved_at: at(now),
      commentary_content: size.commentary
    }))
  )
  yield* insert("counters", [
    { ...owned, day: "", persona_id: "", name: "completed", total: topics.length, persona_name: null }
  ])
  const shares = assignments.map(({ id }) => id)
  const { deliveries, webhook } = yield* told(insert, owner, shares)
  yield* metrics(sql, owner)
  return {
    topic: topics[0]?.id ?? "",
    reference,
    shares,
    commentaries: assignments.map(({ id, topic }) => [topic, id] as const),
    webhook,
    deliveries
  } satisfies SeededResourceIds
})

/** Seeds past events, and a webhook for which each delivery has failed several times. */
const told = Effect.fnUntraced(function* (
  insert: InsertRows,
  { now, organization, size }: Owner,
  shares: ReadonlyArray<string>
) {
  const owned = { organization_id: organization, environment: "live" }
  const ids = Array.from({ length: size.events }, (_, index) => {
    const id = makeLowestEventId(now - 60_000 - index)
    return id.slice(0, -12) + randomUUID().slice(-12)
  })
  yield* insert(
    "events",
    ids.map((id, index) => ({
      ...owned,
      id,
      type: "creator.approved",
      share_id: shares[index % shares.length] as string,
      created_at: at(now - 60_000),
      payload: `{"id":"evt_${id}","type":"creator.approved","data":{"metadata":${size.metadata},"commentary":{"content":"${size.commentary}"}}}`
    }))
  )
  const webhook = randomUUID() as string
  yield* insert("webhooks", [
    {
      ...owned,
      id: webhook,
      url: "http://127.0.0.1:9/nobody",
      events: '["creator.approved"]',
      status: "active",
      consecutive_failures: 0,
      created_at: at(now),
      updated_at: at(now),
      encrypted_secret: ""
    }
  ])
  yield* insert("webhook_totals", [{ ...owned, total: 1 }])
  yield* insert(
    "deliveries",
    ids.map((id) => ({
      webhook_id: webhook,
      event_id: id,
      state: "failed",
      claim_number: 10,
      attempts: 10,
      settled_at: at(now)
    }))
  )
  const attempts = size === heavyDataSize ? 10 : 1
  yield* insert(
    "delivery_attempts",
    ids.flatMap((id) =>
      Array.from({ length: attempts }, (_, index) => ({
        webhook_id: webhook,
        event_id: id,
        claim_number: index + 1,
        kind: "scheduled",
        started_at: at(now),
        duration: 20,
        status: 500,
        excerpt: "x".repeat(1000)
      }))
    )
  )
  return { webhook, deliveries: ids }
})

/** Seeds daily metrics for a report over a whole year. */
const metrics = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { now, organization, personas, size }: Owner) {
  const durations = { response: 3_600_000, generation: 5000, approval: 7_200_000 }
  for (let back = 0; back < size.days; back++) {
    const day = at(now - back * 86_400_000).slice(0, 10)
    const ids = sql.in("id", personas)
    yield* Effect.orDie(sql`INSERT INTO counters (organization_id, environment, day, persona_id, name, total, persona_name)
      SELECT ${organization}, 'live', ${day}, id, 'sent', 5, name FROM personas WHERE ${ids}`)
    for (const [stage, duration] of Object.entries(durations)) {
      // Store five different durations for each stage, as if five assignments had passed the stage.
      const counts = Array.from({ length: 5 }, (_, index) => [duration + index, 1]).join()
      yield* Effect.orDie(sql`INSERT INTO duration_histograms (organization_id, environment, day, persona_id, stage, counts, exact)
        SELECT ${organization}, 'live', ${day}, id, ${stage}, ${counts}, 5 FROM personas WHERE ${ids}`)
    }
  }
})
