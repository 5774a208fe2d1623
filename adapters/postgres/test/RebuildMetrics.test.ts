/** Tests that `metrics rebuild` on Postgres computes the same metrics as the incremental updates. */
import { assert, describe, it } from "@effect/vitest"
import { calculatePercentiles } from "@partner-commentary/core/performance/Histogram"
import { summarizeMetrics } from "@partner-commentary/core/performance/Metrics"
import { PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { rebuildMetrics } from "@partner-commentary/sql/reporting/RebuildMetrics"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as MetricsFixture from "@partner-commentary/testkit/performance/MetricsFixture"
import * as Creator from "@partner-commentary/testkit/support/Creator"
import {
  day,
  makePersona,
  makeSubmission,
  minute,
  makeOwner as ownerOf,
  start
} from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

describe("Metrics rebuild", () => {
  it.effect(
    "metrics rebuild computes the same metrics as the incremental updates, on a busy day and on a quiet day",
    () =>
      Effect.gen(function* () {
        const topics = yield* TopicStore
        const owner = ownerOf()
        const [ada, bo] = [makePersona({ name: "Ada" }), makePersona({ name: "Bo" })]
        const times: Array<number> = []
        for (let index = 0; index < 45; index++) {
          const createdAt = start + (index < 3 ? day : 0)
          yield* TestClock.setTime(createdAt)
          const { sent } = yield* topics.submit(makeSubmission({ personas: [ada, bo], topic: { ...owner, createdAt } }))
          const [first, second] = sent
          if (first === undefined || second === undefined) return assert.fail("nothing was sent")
          yield* Creator.deliverRequest(first)
          yield* TestClock.setTime(createdAt + index * minute)
          times.push(index * minute)
          yield* Creator.respondAndDraft(first)
          if (index % 3 > 0) yield* Creator.approve(first)
          if (index % 3 === 1) yield* Creator.decline(second)
          if (index % 3 === 2) yield* Creator.cancel(second)
        }
        const metrics = Effect.flatMap(PerformanceStore, (store) =>
          Effect.map(store.days(owner, start - day, null), (days) =>
            days
              .toSorted((one, other) => (one.personaName < other.personaName ? -1 : 1))
              .map(({ personaId, personaName, metrics }) => ({ personaId, personaName, ...summarizeMetrics(metrics) }))
          )
        )
        const before = yield* metrics
        yield* MetricsFixture.runWhileTimePasses(rebuildMetrics)
        const [counted, other] = yield* metrics
        assert.deepStrictEqual([counted?.counts, other], [before[0]?.counts, before[1]])
        assert.deepInclude(counted?.counts, { sent: 45, pending: 15, approved: 30 })
        assert.deepInclude(other?.counts, { sent: 45, pending: 15, declined: 15, cancelled: 15 })
        for (const { response } of [before[0], counted].flatMap((one) => one ?? [])) {
          const exact = calculatePercentiles(new Map(times.map((time) => [time, 1]))).p90 ?? 0
          assert.strictEqual(response.count, 45)
          assert.closeTo(response.p90 ?? 0, exact, exact * 0.05)
        }
      }).pipe(Effect.provide(TestDatabase.layer))
  )

  it.effect("metrics rebuild repairs wrong metrics while other changes are written, and counts each change once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { metrics, sendMore } = yield* MetricsFixture.makeMetricsFixture
      const before = yield* metrics
      yield* sql`UPDATE counters SET total = total + 7 WHERE day <> '' AND name = 'sent'`
      yield* sql`DELETE FROM counters WHERE name = 'approved'`
      yield* sql`UPDATE duration_histograms SET counts = ''`
      assert.notDeepEqual(yield* metrics, before)
      assert.strictEqual(yield* MetricsFixture.runWhileTimePasses(rebuildMetrics), 2)
      assert.deepStrictEqual(yield* metrics, before)
      const again = Effect.repeat(rebuildMetrics, { times: 5 })
      yield* MetricsFixture.runWhileTimePasses(Effect.all([sendMore, again], { concurrency: "unbounded" }))
      const after = yield* metrics
      yield* MetricsFixture.runWhileTimePasses(rebuildMetrics)
      assert.deepStrictEqual(yield* metrics, after)
    }).pipe(Effect.provide(TestDatabase.layer))
  )
})
