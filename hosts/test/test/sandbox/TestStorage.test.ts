/**
 * Tests the storage limits of the test environment over HTTP. A topic beyond the limit is refused, and a running worker
 * deletes old topics.
 */
import { assert, it } from "@effect/vitest"
import { Environment } from "@partner-commentary/core/shared/Owner"
import * as Jobs from "@partner-commentary/server/workers/Jobs"
import { topicBatchSize } from "@partner-commentary/sql/sandbox/TestRetention"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { readJson } from "../support/Json.ts"
import { approves, declines, seedTestIntegration } from "../support/TestIntegration.ts"

/** In an in-memory SQLite database, deleted and updated rows leave no copies that would change the measured sizes. */
const onSqlite = InMemory.layerWith({ stores: Sqlite.layer({ filename: ":memory:" }) })

const capped = InMemory.layerWith({ policy: { testStorage: { topics: 2, bytes: 1_000_000 } } })

it.effect(
  "a test topic beyond the storage limit gets 429 with the quota and the remaining amount, and live topics are accepted",
  () =>
    Effect.gen(function* () {
      const { call, key, live, persona, sent } = yield* seedTestIntegration
      yield* sent("Will it rain on Sunday?", approves)
      yield* sent("Will it rain on Monday?", approves)
      const body = (content: string) => ({ content, persona_ids: [persona.id] })
      const refused = yield* call("/partner/v1/topics", { method: "POST", key, body: body("And on Tuesday?") })
      assert.strictEqual(refused.status, 429)
      const { error } = yield* readJson(refused)
      assert.strictEqual(error.code, "rate_limit_exceeded")
      // The test runs at 9:00 UTC. The service next deletes test topics at midnight UTC, 15 hours later.
      assert.deepStrictEqual(error.details, { retry_after: 15 * 3600, limit: 2, remaining: 0, quota: "test_topics" })
      assert.include(error.message, "The test environment stores at most 2 topics")
      assert.strictEqual(refused.headers.get("retry-after"), String(15 * 3600))
      const on = yield* call("/partner/v1/topics", { method: "POST", key: live, body: body("And on Tuesday?") })
      assert.strictEqual(on.status, 201)
    }).pipe(Effect.provide(capped))
)

it.effect("a bulk submission's topics beyond the storage limit are refused, and each refusal has a reason", () =>
  Effect.gen(function* () {
    const { post } = yield* seedTestIntegration
    const topics = [1, 2, 3, 4].map((number) => ({ content: `Who is number ${number}?`, persona_ids: [approves] }))
    const { data } = yield* post("/topics/bulk", { topics })
    const seen = data.results.map((one: { status: string; error?: { details: { quota: string } } }) => [
      one.status,
      one.error?.details.quota
    ])
    assert.deepStrictEqual(seen, [
      ["created", undefined],
      ["created", undefined],
      ["refused", "test_topics"],
      ["refused", "test_topics"]
    ])
  }).pipe(Effect.provide(capped))
)

it.effect(
  "the reserved size of a topic is at least the size of all data that the topic stores until its completion",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { post, settled } = yield* seedTestIntegration
      const size = Effect.map(
        sql<{
          readonly bytes: number
        }>`SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size`,
        ([row]) => row?.bytes ?? 0
      )
      const counted = Effect.map(
        sql<{ readonly bytes: number }>`SELECT bytes FROM test_storage`,
        ([row]) => row?.bytes ?? 0
      )
      for (const metadata of [{}, { note: "x".repeat(8000) }]) {
        const [before, counter] = [yield* size, yield* counted]
        for (let number = 0; number < 20; number++) {
          const content = `Who is number ${number} of all, ${"and why ".repeat(50)}?`
          const body = { content, persona_ids: [approves, declines], metadata: { ...metadata, number } }
          yield* settled((yield* post("/topics", body)).data.topic_id)
        }
        assert.isAtMost((yield* size) - before, (yield* counted) - counter)
      }
    }).pipe(Effect.provide(onSqlite))
)

it.effect("a running worker deletes test topics after their retention period, and keeps live topics", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { call, live, persona, sent, settled } = yield* seedTestIntegration
    const { topic } = yield* sent("Will it rain on Sunday?", approves, declines)
    yield* settled(topic)
    for (let week = 1; week <= topicBatchSize; week++) yield* sent(`Will it rain in ${week} weeks?`, declines)
    yield* call("/partner/v1/topics", {
      method: "POST",
      key: live,
      body: { content: "Will it rain on Sunday?", persona_ids: [persona.id] }
    })
    const count = (table: string) =>
      Effect.map(
        sql<{ readonly count: number }>`SELECT COUNT(*) AS count FROM ${sql(table)}
          ${table === "drafts" ? sql.literal("") : sql`WHERE environment = 'test'`}`,
        ([row]) => row?.count
      )
    const tables = ["topics", "assignments", "events", "drafts", "duplicate_windows", "duration_histograms"]
    const { poll } = yield* Jobs.makeDeletionJobRunner
    const work = Effect.raceFirst(
      Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("50 millis"))),
      Effect.repeat(poll, { until: (gone) => gone === 0 })
    )
    yield* TestClock.adjust(Duration.days(30))
    yield* work
    assert.strictEqual(yield* count("topics"), topicBatchSize + 1, "their day is not over")
    yield* TestClock.adjust(Duration.days(1))
    yield* work
    assert.deepStrictEqual(
      yield* Effect.forEach(tables, count),
      tables.map(() => 0)
    )
    const left = yield* sql<{ readonly environment: string }>`SELECT environment FROM topics`
    assert.deepStrictEqual(
      left.map(({ environment }) => environment),
      [Environment.literals[0]]
    )
  }).pipe(Effect.scoped, Effect.provide(InMemory.layer))
)
