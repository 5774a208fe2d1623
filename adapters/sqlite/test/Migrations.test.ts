/** What an earlier version left behind is kept and read on by the present one. */
import { assert, describe, it } from "@effect/vitest"
import { partners } from "@partner-commentary/sql/migrations/0001_partners"
import { topics } from "@partner-commentary/sql/migrations/0002_topics"
import { usage } from "@partner-commentary/sql/migrations/0003_usage"
import { audit } from "@partner-commentary/sql/migrations/0005_audit"
import { calls } from "@partner-commentary/sql/migrations/0006_calls"
import { performance } from "@partner-commentary/sql/migrations/0010_performance"
import { revocations } from "@partner-commentary/sql/migrations/0012_revocations"
import { windowOrder } from "@partner-commentary/sql/migrations/0015_window_order"
import { keptFigures } from "@partner-commentary/sql/migrations/0018_kept_figures"
import { rebuildMetrics } from "@partner-commentary/sql/reporting/RebuildMetrics"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as MetricsScene from "@partner-commentary/testkit/performance/MetricsScene"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const at = (hour: number) => `2026-01-30T${String(hour).padStart(2, "0")}:00:00.000Z`

const key = (id: string) => ({
  id,
  hash: id,
  organization_id: "o",
  environment: "live",
  name: id,
  prefix: "pk_live_",
  scopes: "[]",
  ip_allow_list: "[]",
  created_at: at(9)
})

describe("migrations", () => {
  it.effect("the moments of responses and first drafts are taken over from the record and the drafts", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* partners
      yield* topics
      yield* audit
      const none = { topic_sent: 0, opinion_injected: 0, commentary_generated: 0, creator_approved: 0 }
      const owner = { organization_id: "o", environment: "live", created_at: at(9) }
      yield* sql`INSERT INTO topics ${sql.insert({
        ...owner,
        ...none,
        id: "t",
        status: "in_progress",
        declined: 0,
        expired: 0,
        abandoned: 0,
        organization_name: "O",
        output_types: "[]",
        content: "c",
        metadata: "{}"
      })}`
      const assignment = (position: number, id: string, status: string) => ({
        ...owner,
        topic_id: "t",
        position,
        id,
        persona_id: id,
        persona_name: id,
        status,
        status_updated_at: at(9),
        persona_image_url: "",
        creator_name: "",
        creator_email: "",
        creator_key: "",
        respond_by: at(23)
      })
      yield* sql`INSERT INTO assignments ${sql.insert([
        assignment(0, "drafted", "commentary_generated"),
        assignment(1, "responded", "opinion_injected"),
        assignment(2, "sent", "topic_sent")
      ])}`
      const draft = (number: number, hour: number) => ({
        share_id: "drafted",
        number,
        id: `d${number}`,
        content: "d",
        created_at: at(hour)
      })
      yield* sql`INSERT INTO drafts ${sql.insert([draft(1, 12), draft(2, 13)])}`
      const entry = (subject: string, action: string, hour: number) => ({
        subject,
        action,
        recorded_at: at(hour),
        details: "{}"
      })
      yield* sql`INSERT INTO audit_log ${sql.insert([
        entry("drafted", "creator.responded", 10),
        entry("drafted", "creator.revised", 12),
        entry("responded", "creator.responded", 11)
      ])}`
      yield* performance
      const rows = yield* sql<Record<string, unknown>>`SELECT id, responded_at, first_drafted_at, partner_approved_at
        FROM assignments ORDER BY position`
      assert.deepStrictEqual(
        rows.map((row) => Object.values(row)),
        [
          ["drafted", at(10), at(12), null],
          ["responded", at(11), null, null],
          ["sent", null, null, null]
        ]
      )
    }).pipe(Effect.provide(SqliteClient.layer({ filename: ":memory:" })))
  )

  it.effect("each key begins a line of its own, and what a month has seen stays the live environment's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* partners
      yield* usage
      yield* sql`INSERT INTO api_keys ${sql.insert([key("first"), key("second")])}`
      const seen = { topics_created: 3, units_held: 5, commentaries_generated: 4, api_calls: 7 }
      yield* sql`INSERT INTO usage_months ${sql.insert({ organization_id: "o", period: "2026-01", ...seen })}`
      yield* calls
      const lines = yield* sql<Record<string, unknown>>`SELECT id, lineage_id, last_used_at FROM api_keys ORDER BY id`
      assert.deepStrictEqual(
        lines.map((row) => Object.values(row)),
        [
          ["first", "first", null],
          ["second", "second", null]
        ]
      )
      const months = yield* sql<Record<string, unknown>>`SELECT * FROM usage_months`
      assert.deepStrictEqual(
        months.map((row) => ({ ...row })),
        [{ organization_id: "o", environment: "live", period: "2026-01", ...seen }]
      )
    }).pipe(Effect.provide(SqliteClient.layer({ filename: ":memory:" })))
  )

  it.effect("keys that were revoked, or whose grace is over, are so whatever a clock says; a grace goes on", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.setTime(Date.parse(at(12)))
      yield* partners
      yield* audit
      yield* sql`INSERT INTO api_keys ${sql.insert([
        { ...key("good"), revoked_at: null },
        { ...key("graceful"), revoked_at: at(13) },
        { ...key("over"), revoked_at: at(12) },
        { ...key("revoked by a clock ahead"), revoked_at: at(14) }
      ])}`
      const entry = (subject: string, action: string) => ({ subject, action, recorded_at: at(10), details: "{}" })
      yield* sql`INSERT INTO audit_log ${sql.insert([
        entry("graceful", "key.rotated"),
        entry("over", "key.rotated"),
        entry("revoked by a clock ahead", "key.revoked")
      ])}`
      yield* revocations
      const rows = yield* sql<Record<string, unknown>>`SELECT id, revoked_at, is_revoked FROM api_keys ORDER BY id`
      assert.deepStrictEqual(
        rows.map((row) => Object.values(row)),
        [
          ["good", null, 0],
          ["graceful", at(13), 0],
          ["over", at(12), 1],
          ["revoked by a clock ahead", at(14), 1]
        ]
      )
    }).pipe(Effect.provide(SqliteClient.layer({ filename: ":memory:" })))
  )

  it.effect("what was sent before is a duplicate still, for as long as it was", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* topics
      const window = (persona: string, fingerprint: string) => ({
        organization_id: "o",
        environment: "live",
        persona_id: persona,
        fingerprint,
        topic_id: `topic of ${fingerprint}`,
        share_id: `${fingerprint} for ${persona}`,
        until_at: at(12)
      })
      const windows = [window("ada", "one"), window("ada", "two"), window("grace", "one")]
      for (const each of windows) yield* sql`INSERT INTO duplicate_windows ${sql.insert(each)}`
      yield* windowOrder
      const kept = yield* sql<Record<string, unknown>>`SELECT * FROM duplicate_windows ORDER BY persona_id, fingerprint`
      assert.sameDeepMembers(
        kept.map((row) => ({ ...row })),
        windows
      )
    }).pipe(Effect.provide(SqliteClient.layer({ filename: ":memory:" })))
  )

  it.effect("topic totals are kept, and metrics are rebuilt from assignments of earlier versions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const migration of [topics, audit, performance]) yield* migration
      const owner = { organization_id: "o", environment: "live" }
      yield* sql`INSERT INTO topic_totals ${sql.insert({ ...owner, status: "in_progress", total: 1 })}`
      yield* sql`INSERT INTO topics (id, organization_id, environment, status, created_at, topic_sent, opinion_injected,
          commentary_generated, creator_approved, declined, expired, abandoned, organization_name, output_types, content, metadata)
        VALUES ('t', 'o', 'live', 'in_progress', ${at(9)}, 1, 0, 0, 1, 0, 0, 0, 'O', '[]', 'c', '{}')`
      const assignment = {
        ...owner,
        topic_id: "t",
        persona_id: "p",
        status_updated_at: at(9),
        persona_image_url: "",
        creator_name: "",
        creator_email: "",
        creator_key: "",
        created_at: at(9),
        respond_by: at(23),
        notified_at: at(9)
      }
      const approved = { responded_at: at(10), first_drafted_at: at(10), commentary_approved_at: at(12) }
      const none = { responded_at: null, first_drafted_at: null, commentary_approved_at: null }
      yield* sql`INSERT INTO assignments ${sql.insert([
        { ...assignment, ...approved, position: 0, id: "a", persona_name: "Ada", status: "creator_approved" },
        { ...assignment, ...none, position: 1, id: "b", persona_name: "Ada", status: "topic_sent" }
      ])}`
      yield* keptFigures
      yield* MetricsScene.withTimePassing(rebuildMetrics)
      const counters = yield* sql<
        Record<string, unknown>
      >`SELECT day, persona_id, name, total, persona_name FROM counters
        ORDER BY day, name`
      assert.deepStrictEqual(
        counters.map((row) => Object.values(row)),
        [
          ["", "", "in_progress", 1, null],
          ["2026-01-30", "p", "approved", 1, null],
          ["2026-01-30", "p", "sent", 2, "Ada"]
        ]
      )
      const histograms = yield* sql<Record<string, unknown>>`SELECT day, persona_id, stage, counts
        FROM duration_histograms ORDER BY stage`
      assert.deepStrictEqual(
        histograms.map((row) => Object.values(row)),
        [
          ["2026-01-30", "p", "approval", "7200000,1"],
          ["2026-01-30", "p", "generation", "0,1"],
          ["2026-01-30", "p", "response", "3600000,1"]
        ]
      )
    }).pipe(Effect.provide(SqliteClient.layer({ filename: ":memory:" })))
  )
})
