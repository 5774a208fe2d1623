import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { assert } from "vitest"
import type { Course } from "../../src/performance/Figures.ts"
import { maxAssignments, Performance } from "../../src/performance/Performance.ts"
import { PerformanceStore } from "../../src/performance/PerformanceStore.ts"
import type { OrganizationId, PersonaId, ShareId } from "../../src/shared/Ids.ts"
import type { Owner } from "../../src/topic/TopicStore.ts"
import { noon, uuid } from "../topic/FreshAssignment.ts"

const owner: Owner = { organizationId: uuid<OrganizationId>(1), environment: "live" }
const period = { start: noon - 1000, end: noon }
const names = ["Cy", "Ada", "Bo", "Ada"]

/** Sent in turn to four personas. */
const course = (index: number): Course => ({
  id: uuid<ShareId>(1_000_000_000 + index),
  personaId: uuid<PersonaId>(index % names.length),
  createdAt: noon,
  status: "creator_approved",
  failureReason: null,
  notifiedAt: noon,
  respondedAt: noon + index,
  firstDraftedAt: null,
  approvedAt: null
})

const indexOf = (id: string) => Number(id.slice(-12)) - 1_000_000_000

/** A store of so many assignments, which tells what it is asked: where pages begin, and whose names are wanted. */
const storeOf = (count: number, asked: Array<number> = [], named: Array<number> = []) =>
  Layer.succeed(PerformanceStore, {
    page: (_owner, _period, after, limit) =>
      Effect.sync(() => {
        const first = after === null ? 0 : indexOf(after.id) + 1
        asked.push(first)
        return Array.from({ length: Math.min(limit, count - first) }, (_, index) => course(first + index))
      }),
    namesOn: (ids) =>
      Effect.sync(() => {
        named.push(...ids.map(indexOf))
        const turns = ids.map((id) => indexOf(id) % names.length)
        return new Map(turns.map((turn) => [uuid<PersonaId>(turn), names[turn] ?? ""]))
      })
  })

const report = Effect.flatMap(Performance, (performance) => performance.of(owner, period))

describe("a report", () => {
  for (const count of [1, 499, 500, 501, 1203]) {
    it.effect(`sees each of ${count} assignments once, however they fall into pages`, () =>
      Effect.gen(function* () {
        const { overall, personas } = yield* report
        assert.deepInclude(overall.counts, { sent: count, approved: count })
        const middle = Math.ceil(count / 2) - 1
        assert.deepStrictEqual(overall.response, { count, median: middle, p90: Math.ceil((count * 90) / 100) - 1 })
        assert.strictEqual(
          personas.reduce((sum, { counts }) => sum + counts.sent, 0),
          count
        )
      }).pipe(Effect.provide(Performance.layer.pipe(Layer.provide(storeOf(count)))))
    )
  }

  it.effect("lists the personas by name, ties by id", () =>
    Effect.gen(function* () {
      const { personas } = yield* report
      assert.deepStrictEqual(
        personas.map(({ id, name }) => [name, id]),
        [
          ["Ada", uuid(1)],
          ["Ada", uuid(3)],
          ["Bo", uuid(2)],
          ["Cy", uuid(0)]
        ]
      )
    }).pipe(Effect.provide(Performance.layer.pipe(Layer.provide(storeOf(8)))))
  )

  it.effect("calls each persona by the name on its latest assignment", () => {
    const named: Array<number> = []
    return Effect.gen(function* () {
      yield* report
      assert.sameMembers(named, [506, 507, 508, 509])
    }).pipe(Effect.provide(Performance.layer.pipe(Layer.provide(storeOf(510, [], named)))))
  })

  it.effect("of nothing has no personas", () =>
    Effect.gen(function* () {
      const { overall, personas } = yield* report
      assert.deepStrictEqual([overall.counts.sent, personas], [0, []])
    }).pipe(Effect.provide(Performance.layer.pipe(Layer.provide(storeOf(0)))))
  )

  it.effect("is made one at a time for an organization, and leaves others their turn", () => {
    const other: Owner = { organizationId: uuid<OrganizationId>(2), environment: "live" }
    return Effect.gen(function* () {
      const performance = yield* Performance
      const [first, test, second] = yield* Effect.all(
        [
          performance.of(owner, period),
          Effect.flip(performance.of({ ...owner, environment: "test" }, period)),
          performance.of(other, period)
        ],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(test._tag, "ReportUnderWay")
      assert.deepStrictEqual([first.overall.counts.sent, second.overall.counts.sent], [1203, 1203])
      const again = yield* performance.of(owner, period)
      assert.strictEqual(again.overall.counts.sent, 1203)
    }).pipe(Effect.provide(Performance.layer.pipe(Layer.provide(storeOf(1203)))))
  })

  it.effect("that was interrupted leaves room for the next", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(report, { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.strictEqual((yield* report).overall.counts.sent, 5000)
    }).pipe(Effect.provide(Performance.layer.pipe(Layer.provide(storeOf(5000)))))
  )

  it.effect("is refused when too much was sent, without reading on", () => {
    const asked: Array<number> = []
    return Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(report))._tag, "PeriodTooFull")
      assert.strictEqual(asked.at(-1), maxAssignments)
    }).pipe(Effect.provide(Performance.layer.pipe(Layer.provide(storeOf(2 * maxAssignments, asked)))))
  })
})
