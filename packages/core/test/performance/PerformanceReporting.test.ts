import { describe, it } from "@effect/vitest"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { assert } from "vitest"
import { type AssignmentTimelineWithPersona, addTimeline, makeEmptyMetrics } from "../../src/performance/Metrics.ts"
import { maxAssignmentsPerPartialDay, PerformanceReporting } from "../../src/performance/PerformanceReporting.ts"
import { PerformanceStore, type PersonaMetrics } from "../../src/performance/PerformanceStore.ts"
import type { OrganizationId, PersonaId } from "../../src/shared/Ids.ts"
import { makeTestUuid, noonInMillis } from "../topic/SampleAssignments.ts"

const owner: Owner = { organizationId: makeTestUuid<OrganizationId>(1), environment: "live" }
const period = { start: noonInMillis - 1000, end: noonInMillis, untilNow: false }
const names = ["Cy", "Ada", "Bo", "Ada"]

/** The assignments are sent to four personas in turn. */
const timeline = (index: number): AssignmentTimelineWithPersona => ({
  personaId: makeTestUuid<PersonaId>(index % names.length),
  personaName: `${names[index % names.length]}`,
  status: "creator_approved",
  failureReason: null,
  notifiedAt: noonInMillis,
  respondedAt: noonInMillis + index,
  firstDraftedAt: null,
  approvedAt: null
})

const indexOf = (id: string) => Number(id.slice(-12)) - 1_000_000_000

/** Creates a store of topics with one assignment each. The store records the start of each requested page. */
const storeOf = (count: number, asked: Array<number> = [], days: ReadonlyArray<PersonaMetrics> = []) =>
  Layer.succeed(PerformanceStore, {
    days: () => Effect.succeed(days),
    page: (_owner, _period, after, limit) =>
      Effect.sync(() => {
        const first = after === null ? 0 : indexOf(after.id) + 1
        asked.push(first)
        const timelines = Array.from({ length: Math.min(limit, count - first) }, (_, index) => timeline(first + index))
        const last = first + timelines.length - 1
        return {
          timelines,
          next: timelines.length < limit ? null : { createdAt: noonInMillis, id: makeTestUuid(1_000_000_000 + last) }
        }
      })
  })

const report = Effect.flatMap(PerformanceReporting, (performance) => performance.create(owner, period))

describe("a performance report", () => {
  for (const count of [1, 199, 200, 201, 1203]) {
    it.effect(`a performance report includes each of ${count} assignments once`, () =>
      Effect.gen(function* () {
        const { overall, personas } = yield* report
        assert.deepInclude(overall.counts, { sent: count, approved: count })
        const middle = Math.ceil(count / 2) - 1
        assert.deepStrictEqual(overall.response, { count, median: middle, p90: Math.ceil((count * 90) / 100) - 1 })
        assert.strictEqual(
          personas.reduce((sum, { counts }) => sum + counts.sent, 0),
          count
        )
      }).pipe(Effect.provide(PerformanceReporting.layer.pipe(Layer.provide(storeOf(count)))))
    )
  }

  it.effect("a performance report sorts the personas by name and then by id", () =>
    Effect.gen(function* () {
      const { personas } = yield* report
      assert.deepStrictEqual(
        personas.map(({ id, name }) => [name, id]),
        [
          ["Ada", makeTestUuid(1)],
          ["Ada", makeTestUuid(3)],
          ["Bo", makeTestUuid(2)],
          ["Cy", makeTestUuid(0)]
        ]
      )
    }).pipe(Effect.provide(PerformanceReporting.layer.pipe(Layer.provide(storeOf(8)))))
  )

  it.effect("a performance report adds the daily metrics and uses the latest name of each persona", () => {
    const metrics = makeEmptyMetrics()
    for (const index of [0, 4]) addTimeline(metrics, timeline(index))
    const days = [{ personaId: makeTestUuid<PersonaId>(0), personaName: "Cyrus", metrics }]
    return Effect.gen(function* () {
      const performance = yield* PerformanceReporting
      const { overall, personas } = yield* performance.create(owner, {
        ...period,
        start: noonInMillis - 86_400_000,
        untilNow: true
      })
      assert.deepInclude(overall.counts, { sent: 3, approved: 3 })
      assert.deepStrictEqual(
        personas.map(({ counts, name }) => [name, counts.sent]),
        [["Cyrus", 3]]
      )
    }).pipe(Effect.provide(PerformanceReporting.layer.pipe(Layer.provide(storeOf(1, [], days)))))
  })

  it.effect("a performance report of a year lets other fibers run between its queries", () => {
    let turns = 0
    const seen: Array<number> = []
    const store = Layer.succeed(PerformanceStore, {
      days: () =>
        Effect.sync(() => {
          seen.push(turns)
          return []
        }),
      page: () => Effect.succeed({ timelines: [], next: null })
    })
    const other = Effect.forever(
      Effect.andThen(
        Effect.sync(() => turns++),
        Effect.yieldNow
      )
    )
    return Effect.gen(function* () {
      const performance = yield* PerformanceReporting
      yield* Effect.forkChild(other)
      yield* performance.create(owner, { ...period, start: noonInMillis - 365 * 86_400_000 })
      assert.isAtLeast(seen.length, 12)
      assert.isAtLeast(new Set(seen).size, seen.length / 2 - 1, "other work has a turn after two steps at most")
    }).pipe(Effect.provide(PerformanceReporting.layer.pipe(Layer.provide(store))))
  })

  it.effect("a performance report without assignments has no personas", () =>
    Effect.gen(function* () {
      const { overall, personas } = yield* report
      assert.deepStrictEqual([overall.counts.sent, personas], [0, []])
    }).pipe(Effect.provide(PerformanceReporting.layer.pipe(Layer.provide(storeOf(0)))))
  )

  it.effect(
    "an organization can run only one performance report at a time, but several organizations can run reports",
    () => {
      const other: Owner = { organizationId: makeTestUuid<OrganizationId>(2), environment: "live" }
      return Effect.gen(function* () {
        const performance = yield* PerformanceReporting
        const [first, test, second] = yield* Effect.all(
          [
            performance.create(owner, period),
            Effect.flip(performance.create({ ...owner, environment: "test" }, period)),
            performance.create(other, period)
          ],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(test._tag, "ReportInProgress")
        assert.deepStrictEqual([first.overall.counts.sent, second.overall.counts.sent], [1203, 1203])
        const again = yield* performance.create(owner, period)
        assert.strictEqual(again.overall.counts.sent, 1203)
      }).pipe(Effect.provide(PerformanceReporting.layer.pipe(Layer.provide(storeOf(1203)))))
    }
  )

  it.effect("an interrupted performance report releases its permit", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(report, { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* report).overall.counts.sent, 5000)
    }).pipe(Effect.provide(PerformanceReporting.layer.pipe(Layer.provide(storeOf(5000)))))
  )

  it.effect("a performance report stops reading and fails when a partial day has too many assignments", () => {
    const asked: Array<number> = []
    return Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(report))._tag, "PeriodTooFull")
      assert.strictEqual(asked.at(-1), maxAssignmentsPerPartialDay)
    }).pipe(
      Effect.provide(PerformanceReporting.layer.pipe(Layer.provide(storeOf(2 * maxAssignmentsPerPartialDay, asked))))
    )
  })
})
