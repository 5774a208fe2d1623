/** Tests the guarantees of every PerformanceStore: the returned assignments, their order, and their metrics. */
import { assert, describe } from "@effect/vitest"
import { calculatePercentiles } from "@partner-commentary/core/performance/Histogram"
import {
  type AssignmentMetrics,
  type AssignmentTimelineWithPersona,
  addTimeline,
  makeEmptyMetrics,
  summarizeMetrics
} from "@partner-commentary/core/performance/Metrics"
import { PerformanceStore, type PersonaMetrics } from "@partner-commentary/core/performance/PerformanceStore"
import type { PersonaId, ShareId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { PageCursor } from "@partner-commentary/core/shared/Page"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import {
  day,
  hour,
  makeOrganizationId,
  makePersona,
  makePersonas,
  makeSubmission,
  minute,
  makeOwner as ownerOf,
  start
} from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

type Stores = TopicStore | AssignmentStore | PerformanceStore

const whole = { start: start - 1000 * day, end: start + 1000 * day }

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  describe(`${name}: PerformanceStore`, () => {
    const it = makeGuaranteeTest(layer)

    it("an assignment's timeline has the time of every step that the assignment has reached", () =>
      Effect.gen(function* () {
        const owner = ownerOf()
        const asked = makePersona()
        const [id] = yield* send(owner, start, [asked])
        const timeline: AssignmentTimelineWithPersona = {
          personaId: asked.id,
          personaName: asked.name,
          status: "topic_sent",
          failureReason: null,
          notifiedAt: null,
          respondedAt: null,
          firstDraftedAt: null,
          approvedAt: null
        }
        assert.deepStrictEqual(yield* all(owner), [timeline])
        yield* TestClock.setTime(start + minute)
        yield* Creator.deliverRequest(id)
        yield* TestClock.setTime(start + hour)
        yield* Creator.submitPerspective(id)
        yield* TestClock.setTime(start + 2 * hour)
        yield* Creator.runDueStep(id)
        yield* Creator.completeDraft(id)
        const drafted: AssignmentTimelineWithPersona = {
          ...timeline,
          status: "commentary_generated",
          notifiedAt: start + minute,
          respondedAt: start + hour,
          firstDraftedAt: start + 2 * hour
        }
        assert.deepStrictEqual(yield* all(owner), [drafted])
        yield* TestClock.setTime(start + 3 * hour)
        yield* Creator.revise(id)
        yield* Creator.runDueStep(id)
        yield* Creator.completeDraft(id)
        assert.deepStrictEqual(yield* all(owner), [drafted])
        yield* TestClock.setTime(start + 4 * hour)
        yield* Creator.approve(id)
        assert.deepStrictEqual(yield* all(owner), [
          { ...drafted, status: "creator_approved", approvedAt: start + 4 * hour }
        ])
      }))

    it("the timeline of a failed assignment contains the failure reason", () =>
      Effect.gen(function* () {
        const owner = ownerOf()
        const [declined, withdrawn] = yield* send(owner, start, makePersonas(2))
        yield* Creator.decline(declined as ShareId)
        yield* Creator.respondAndDraft(withdrawn as ShareId)
        yield* Creator.withdraw(withdrawn as ShareId)
        assert.deepStrictEqual(
          (yield* all(owner)).map(({ failureReason, status }) => [status, failureReason]),
          [
            ["declined", "declined"],
            ["commentary_generated", "withdrawn"]
          ]
        )
      }))

    it("a metrics period includes its start and excludes its end", () =>
      Effect.gen(function* () {
        const store = yield* PerformanceStore
        const owner = ownerOf()
        const names = ["before", "first", "last", "after"]
        for (const [index, later] of [-1, 0, day - 1, day].entries()) {
          yield* send(owner, start + later, [makePersona({ name: `${names[index]}` })])
        }
        const { timelines } = yield* store.page(owner, { start, end: start + day }, null, 10)
        assert.deepStrictEqual(
          timelines.map(({ personaName }) => personaName),
          ["first", "last"]
        )
      }))

    it("the assignments of another organization or environment are not returned", () =>
      Effect.gen(function* () {
        const owner = ownerOf()
        yield* send({ ...owner, environment: "test" }, start)
        yield* send({ ...owner, organizationId: makeOrganizationId() }, start)
        assert.deepStrictEqual(yield* all(owner), [])
      }))

    it("pages of any size return each assignment once, oldest first", () =>
      Effect.gen(function* () {
        const store = yield* PerformanceStore
        const owner = ownerOf()
        const named = (name: string, count: number) =>
          Array.from({ length: count }, (_, index) => makePersona({ name: `${name} ${index}` }))
        const [late, early, latest] = [named("late", 3), named("early", 4), named("latest", 1)]
        yield* send(owner, start + hour, late)
        yield* send(owner, start, early)
        yield* send(owner, start + 2 * hour, latest)
        const order = [...early, ...late, ...latest].map(({ name }) => name)
        for (const limit of [1, 2, 3, 4]) {
          const seen: Array<string> = []
          let after: PageCursor | null = null
          do {
            const page: Effect.Success<ReturnType<typeof store.page>> = yield* store.page(owner, whole, after, limit)
            seen.push(...page.timelines.map(({ personaName }) => personaName))
            after = page.next
          } while (after !== null)
          assert.deepStrictEqual(seen, order, `${limit}`)
        }
      }))

    it("daily metrics contain the current outcomes and durations of each persona", () =>
      Effect.gen(function* () {
        const owner = ownerOf()
        const [ada, bo] = [makePersona({ name: "Ada" }), makePersona({ name: "Bo" })]
        const [first] = yield* send(owner, start, [ada, bo])
        assert.deepStrictEqual(
          summaries(yield* days(owner)),
          summaries([metricsOf(ada, sent(1)), metricsOf(bo, sent(1))])
        )
        yield* TestClock.setTime(start + minute)
        yield* Creator.deliverRequest(first)
        yield* TestClock.setTime(start + hour)
        yield* Creator.respondAndDraft(first)
        yield* TestClock.setTime(start + 3 * hour)
        yield* Creator.approve(first)
        const metrics = makeEmptyMetrics()
        addTimeline(metrics, {
          status: "creator_approved",
          failureReason: null,
          notifiedAt: start + minute,
          respondedAt: start + hour,
          firstDraftedAt: start + hour,
          approvedAt: start + 3 * hour
        })
        assert.deepStrictEqual(
          summaries(yield* days(owner)),
          summaries([metricsOf(ada, metrics), metricsOf(bo, sent(1))])
        )
      }))

    it("daily metrics contain only the owner's days from the start to before the end, with each persona's latest name", () =>
      Effect.gen(function* () {
        const store = yield* PerformanceStore
        const owner = ownerOf()
        const midnight = Math.floor(start / day) * day
        const ada = makePersona({ name: "Ada Northwind" })
        for (const [index, name] of ["Too Early", "Ada Northwind", "Ada Southwind", "Too Late"].entries()) {
          yield* send(owner, midnight + (index - 1) * day, [{ ...ada, name }])
        }
        yield* send({ ...owner, environment: "test" }, midnight)
        yield* send({ ...owner, organizationId: makeOrganizationId() }, midnight)
        const both = yield* store.days(owner, midnight, midnight + 2 * day)
        assert.deepStrictEqual(summaries(both), summaries([metricsOf({ ...ada, name: "Ada Southwind" }, sent(2))]))
        const open = yield* store.days(owner, midnight, null)
        assert.deepStrictEqual(summaries(open), summaries([metricsOf({ ...ada, name: "Too Late" }, sent(3))]))
      }))

    it("percentiles of many durations are exact within 5 %, and every duration is counted", () =>
      Effect.gen(function* () {
        const owner = ownerOf()
        const ada = makePersona({ name: "Ada" })
        const times: Array<number> = []
        for (let index = 0; index < 80; index++) {
          const [id] = yield* send(owner, start, [ada])
          yield* TestClock.setTime(start + minute)
          yield* Creator.deliverRequest(id)
          const took = (index + 1) ** 2 * 10_007
          times.push(took)
          yield* TestClock.setTime(start + minute + took)
          yield* Creator.submitPerspective(id)
        }
        const [first] = yield* days(owner)
        const { response } = summarizeMetrics(first?.metrics ?? makeEmptyMetrics())
        assert.strictEqual(response.count, times.length)
        const exact = calculatePercentiles(new Map(times.map((time) => [time, 1])))
        for (const name of ["median", "p90"] as const) {
          assert.closeTo(response[name] ?? 0, exact[name] ?? 0, (exact[name] ?? 0) * 0.05)
        }
      }))
  })
}

const days = (owner: Owner) => Effect.flatMap(PerformanceStore, (store) => store.days(owner, start - 2 * day, null))

const metricsOf = (
  { id, name }: { readonly id: PersonaId; readonly name: string },
  metrics: AssignmentMetrics
): PersonaMetrics => ({
  personaId: id,
  personaName: name,
  metrics
})

/** Returns the metrics of `count` pending assignments. */
const sent = (count: number): AssignmentMetrics => {
  const metrics = makeEmptyMetrics()
  Object.assign(metrics.counts, { sent: count, pending: count })
  return metrics
}

const summaries = (found: ReadonlyArray<PersonaMetrics>) =>
  found
    .map(({ personaId, personaName, metrics }) => ({ personaId, personaName, ...summarizeMetrics(metrics) }))
    .toSorted((one, other) => (one.personaName < other.personaName ? -1 : 1))

const send = Effect.fnUntraced(function* (owner: Owner, createdAt: number, asked = makePersonas(1)) {
  const topics = yield* TopicStore
  const { sent } = yield* topics.submit(makeSubmission({ personas: asked, topic: { ...owner, createdAt } }))
  return sent as readonly [ShareId, ...ReadonlyArray<ShareId>]
})

const all = (owner: Owner) =>
  Effect.map(
    Effect.flatMap(PerformanceStore, (store) => store.page(owner, whole, null, 100)),
    ({ timelines }) => timelines
  )
