/**
 * Seeds a year of one organization's topics with SQL. Each topic has three assignments among twelve personas. The
 * response times are lognormal with a median of three hours, so that the last days are still in progress. Each response
 * leads to a draft, and most drafts are approved. Events and deliveries cover the last 30 days, which is the retention
 * period. `rebuildMetrics`, which the command `metrics rebuild` also runs, computes the daily metrics.
 */
import * as Postgres from "@partner-commentary/postgres/Postgres"
import { rebuildMetrics } from "@partner-commentary/sql/reporting/RebuildMetrics"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { DatabasePool } from "../Database.ts"

export const personaCount = 12

const uuid = (millis: string, salt: string) =>
  `(SELECT substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-7' || substr(m, 1, 3) || '-8' || substr(m, 4, 3) || '-' || substr(m, 7, 12)
    FROM (SELECT lpad(to_hex(${millis}), 12, '0') AS h, md5(${salt}) AS m) parts)`

const iso = (millis: string) =>
  `to_char(to_timestamp((${millis}) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * Returns SQL for a random duration in milliseconds. The parameter is the median of the durations in hours. Most
 * durations lie between a third of the median and three times the median.
 */
const lognormal = (hours: number) =>
  `(3600000 * ${hours} * exp(sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())))::bigint`

const steps = (organization: string, topics: number, now: number): ReadonlyArray<readonly [string, string]> => {
  const year = 365 * 86_400_000
  const persona = "lpad(to_hex(p), 8, '0') || '-0000-4000-8000-000000000000'"
  return [
    [
      "personas",
      `INSERT INTO personas SELECT ${persona}, 'Persona ' || p, 'https://images.example/' || p, 'bio', '[]', '{}', 'Creator ' || p,
        'c' || p || '@creators.example', 'c' || p || '@creators.example', '2026-01-01T00:00:00.000Z'
        FROM generate_series(1, ${personaCount}) p`
    ],
    ["licences", `INSERT INTO licenses SELECT '${organization}', id, created_at FROM personas ON CONFLICT DO NOTHING`],
    [
      "drawn",
      `CREATE UNLOGGED TABLE drawn AS
        SELECT i, k, created, ${uuid("created", "i::text")} AS topic_id, ${uuid("created", "i || ' ' || k")} AS id,
          lpad(to_hex((i + k * 4) % ${personaCount} + 1), 8, '0') || '-0000-4000-8000-000000000000' AS persona_id,
          created + 5000 AS notified, created + 5000 + ${lognormal(3)} AS responded, ${lognormal(0.02)} AS generation,
          ${lognormal(5)} AS approval, random() AS fate
        FROM generate_series(1, ${topics}) i, LATERAL (SELECT ${now} - ((${topics} - i)::numeric * ${year} / ${topics})::bigint AS created) c,
          generate_series(0, 2) k`
    ],
    [
      "told",
      `CREATE UNLOGGED TABLE told AS SELECT *,
          CASE WHEN fate < 0.10 AND responded < ${now} THEN 'declined'
            WHEN fate < 0.20 AND created + 172800000 < ${now} THEN 'expired'
            WHEN fate < 0.20 OR responded >= ${now} THEN 'topic_sent'
            WHEN responded + generation >= ${now} THEN 'opinion_injected'
            WHEN fate < 0.95 AND responded + generation + approval < ${now} THEN 'creator_approved'
            ELSE 'commentary_generated' END AS status,
          CASE WHEN fate >= 0.95 AND responded + generation + approval < ${now}
            THEN CASE WHEN fate < 0.98 THEN 'approval_timeout' ELSE 'withdrawn' END END AS given_up
        FROM drawn`
    ],
    [
      "topics",
      `INSERT INTO topics (id, organization_id, environment, status, created_at, topic_sent, opinion_injected, commentary_generated,
          creator_approved, declined, expired, abandoned, external_reference, organization_name, output_types, content, metadata, updated_at)
        SELECT topic_id, '${organization}', 'live', CASE WHEN waiting + working - abandoned = 0 THEN 'completed' WHEN approved > 0 THEN 'partial'
            WHEN working - abandoned > 0 THEN 'in_progress' ELSE 'pending' END,
          ${iso("created")}, waiting, responded, drafted, approved, declined, expired, abandoned, 'match:' || i, 'Bench', '["text"]',
          'Which team improves the most over the rest of season ' || i || ', and why?', '{"season":' || i || ',"note":"' || repeat('x', 200) || '"}', ${iso("created")}
        FROM (SELECT i, topic_id, created, COUNT(*) FILTER (WHERE status = 'topic_sent') AS waiting,
            COUNT(*) FILTER (WHERE status = 'opinion_injected') AS responded, COUNT(*) FILTER (WHERE status = 'commentary_generated') AS drafted,
            COUNT(*) FILTER (WHERE status IN ('opinion_injected', 'commentary_generated')) AS working,
            COUNT(*) FILTER (WHERE status = 'creator_approved') AS approved, COUNT(*) FILTER (WHERE status = 'declined') AS declined,
            COUNT(*) FILTER (WHERE status = 'expired') AS expired, COUNT(given_up) AS abandoned
          FROM told GROUP BY i, topic_id, created ORDER BY i) all_of_it`
    ],
    [
      "assignments",
      `INSERT INTO assignments (topic_id, position, id, persona_id, persona_name, status, status_updated_at, failure_reason, failure_at,
          organization_id, environment, persona_image_url, creator_name, creator_email, creator_key, created_at, due_at, notified_at, respond_by,
          responded_at, perspective, first_drafted_at, draft_id, draft_number, draft_created_at, draft_content, commentary_id,
          commentary_draft_id, commentary_approved_at, commentary_content)
        SELECT topic_id, k, id, persona_id, 'Persona ' || ltrim(substr(persona_id, 1, 8), '0'), status, ${iso("created")},
          reason, CASE WHEN reason IS NOT NULL THEN ${iso("responded")} END, '${organization}', 'live', 'https://images.example/p.png',
          'Creator', persona_id || '@creators.example', persona_id || '@creators.example', ${iso("created")},
          CASE WHEN reason IS NULL AND status <> 'creator_approved' THEN ${iso(`${now} + 86400000`)} END, ${iso("notified")},
          ${iso("created + 172800000")}, CASE WHEN answered THEN ${iso("responded")} END, CASE WHEN answered THEN repeat('thought ', 40) END,
          CASE WHEN drafted THEN ${iso("responded + generation")} END, CASE WHEN drafted THEN id END, CASE WHEN drafted THEN 1 END,
          CASE WHEN drafted THEN ${iso("responded + generation")} END, CASE WHEN drafted THEN repeat('word ', 80) END,
          CASE WHEN done THEN id END, CASE WHEN done THEN id END, CASE WHEN done THEN ${iso("responded + generation + approval")} END,
          CASE WHEN done THEN repeat('word ', 80) END
        FROM (SELECT *, COALESCE(given_up, CASE WHEN status IN ('declined', 'expired') THEN status END) AS reason,
            status IN ('opinion_injected', 'commentary_generated', 'creator_approved') AS answered,
            status IN ('commentary_generated', 'creator_approved') AS drafted, status = 'creator_approved' AS done FROM told ORDER BY i, k) one`
    ],
    [
      "events",
      `INSERT INTO events SELECT ${uuid("happened", "id")}, '${organization}', 'live',
          CASE WHEN status = 'creator_approved' THEN 'creator.approved' ELSE 'commentary.failed' END, id, ${iso("happened")},
          '{"id":"evt_' || id || '","type":"creator.approved","data":{"topic_id":"' || topic_id || '","note":"' || repeat('x', 300) || '"}}'
        FROM (SELECT *, responded + generation + approval AS happened FROM told
          WHERE status = 'creator_approved' OR status = 'declined' OR given_up IS NOT NULL) told WHERE happened BETWEEN ${now} - 2592000000 AND ${now}`
    ],
    ["totals", "DELETE FROM counters"],
    [
      "totals of topics",
      `INSERT INTO counters SELECT organization_id, environment, '', '', status, COUNT(*) FROM topics GROUP BY 1, 2, 5`
    ],
    [
      "usage",
      `INSERT INTO usage_months SELECT '${organization}', 'live', substr(created_at, 1, 7), COUNT(*), 3 * COUNT(*), 2 * COUNT(*), 100
        FROM topics GROUP BY 3 ON CONFLICT DO NOTHING`
    ],
    ["drawn, dropped", "DROP TABLE drawn, told"]
  ]
}

export const seedTopics = async (
  database: DatabasePool,
  url: string,
  organization: string,
  topics: number,
  say: (text: string) => void
) => {
  await database.query("SET session_replication_role = replica")
  await database.query("SELECT setseed(0.42)")
  const now = Date.now()
  for (const [name, statement] of steps(organization, topics, now)) {
    const begin = performance.now()
    await database.query(statement)
    say(`  ${name}: ${((performance.now() - begin) / 1000).toFixed(1)} s`)
  }
  const begin = performance.now()
  await Effect.runPromise(Effect.provide(rebuildMetrics, Postgres.layerMigrationClient({ url: Redacted.make(url) })))
  say(`  metrics: ${((performance.now() - begin) / 1000).toFixed(1)} s`)
  await database.query("VACUUM (ANALYZE)")
}

/**
 * Inserts one delivery of each event to the webhook. One delivery in fifty has failed, and the last hundred deliveries
 * are pending.
 */
export const seedDeliveries = async (database: DatabasePool, webhookId: string) => {
  await database.query(
    `INSERT INTO deliveries (webhook_id, event_id, state, due_at, claim_number, attempts, settled_at)
      SELECT $1, id, CASE WHEN number <= 100 THEN 'pending' WHEN number % 50 = 0 THEN 'failed' ELSE 'delivered' END,
        CASE WHEN number <= 100 THEN created_at END, 1, 1, CASE WHEN number > 100 THEN created_at END
      FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY id DESC) AS number FROM events) numbered`,
    [webhookId]
  )
  await database.query(
    `INSERT INTO delivery_attempts (webhook_id, event_id, claim_number, kind, started_at, duration, status)
      SELECT webhook_id, event_id, 1, 'scheduled', COALESCE(settled_at, due_at), 20, 200 FROM deliveries WHERE state <> 'pending'`
  )
  await database.query("VACUUM (ANALYZE)")
}
