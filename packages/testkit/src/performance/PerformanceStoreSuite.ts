/** What every PerformanceStore promises: whose assignments and which ones, in what order, and all that figures are made of. */
import { assert, describe } from "@effect/vitest"
import { percentile } from "@partner-commentary/core/performance/Durations"
import { add, type Course, figures, newTally, type Tally } from "@partner-commentary/core/performance/Figures"
import { type KeptOfPersona, PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import type { PersonaId, ShareId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { Cursor } from "@partner-commentary/core/shared/Page"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import {
  day,
  hour,
  minute,
  organizationId,
  owner as ownerOf,
  persona,
  personas,
  start,
  submission
} from "../support/Fixtures.ts"
import { guarantees } from "../support/Guarantee.ts"

type Stores = TopicStore | AssignmentStore | PerformanceStore

const whole = { start: start - 1000 * day, end: start + 1000 * day }

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  describe(`${name}: PerformanceStore`, () => {
    const it = guarantees(layer)

    it("an assignment is told with every moment of its way, as far as it has gone", () =>
      Effect.gen(function* () {
        const owner = ownerOf()
        const asked = persona()
        const [id] = yield* send(owner, start, [asked])
        const course: Course = {
          personaId: asked.id,
          personaName: asked.name,
          status: "topic_sent",
          failureReason: null,
          notifiedAt: null,
          respondedAt: null,
          firstDraftedAt: null,
          approvedAt: null
        }
        assert.deepStrictEqual(yield* all(owner), [course])
        yield* TestClock.setTime(start + minute)
        yield* Creator.notify(id)
        yield* TestClock.setTime(start + hour)
        yield* Creator.respond(id)
        yield* TestClock.setTime(start + 2 * hour)
        yield* Creator.wakeUp(id)
        yield* Creator.draft(id)
        const drafted: Course = {
          ...course,
          status: "commentary_generated",
          notifiedAt: start + minute,
          respondedAt: start + hour,
          firstDraftedAt: start + 2 * hour
        }
        assert.deepStrictEqual(yield* all(owner), [drafted])
        yield* TestClock.setTime(start + 3 * hour)
        yield* Creator.revise(id)
        yield* Creator.wakeUp(id)
        yield* Creator.draft(id)
        assert.deepStrictEqual(yield* all(owner), [drafted])
        yield* TestClock.setTime(start + 4 * hour)
        yield* Creator.approve(id)
        assert.deepStrictEqual(yield* all(owner), [
          { ...drafted, status: "creator_approved", approvedAt: start + 4 * hour }
        ])
      }))

    it("one that failed is told with its reason", () =>
      Effect.gen(function* () {
        const owner = ownerOf()
        const [declined, withdrawn] = yield* send(owner, start, personas(2))
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

    it("a period holds what was sent from its start on and before its end", () =>
      Effect.gen(function* () {
        const store = yield* PerformanceStore
        const owner = ownerOf()
        const names = ["before", "first", "last", "after"]
        for (const [index, later] of [-1, 0, day - 1, day].entries()) {
          yield* send(owner, start + later, [persona({ name: `${names[index]}` })])
        }
        const { courses } = yield* store.page(owner, { start, end: start + day }, null, 10)
        assert.deepStrictEqual(
          courses.map(({ personaName }) => personaName),
          ["first", "last"]
        )
      }))

    it("nothing of another organization or environment is told", () =>
      Effect.gen(function* () {
        const owner = ownerOf()
        yield* send({ ...owner, environment: "test" }, start)
        yield* send({ ...owner, organizationId: organizationId() }, start)
        assert.deepStrictEqual(yield* all(owner), [])
      }))

    it("pages follow each other without a gap, oldest first, wherever they are cut", () =>
      Effect.gen(function* () {
        const store = yield* PerformanceStore
        const owner = ownerOf()
        const named = (name: string, count: number) =>
          Array.from({ length: count }, (_, index) => persona({ name: `${name} ${index}` }))
        const [late, early, latest] = [named("late", 3), named("early", 4), named("latest", 1)]
        yield* send(owner, start + hour, late)
        yield* send(owner, start, early)
        yield* send(owner, start + 2 * hour, latest)
        const order = [...early, ...late, ...latest].map(({ name }) => name)
        for (const limit of [1, 2, 3, 4]) {
          const seen: Array<string> = []
          let after: Cursor | null = null
          do {
            const page: Effect.Success<ReturnType<typeof store.page>> = yield* store.page(owner, whole, after, limit)
            seen.push(...page.courses.map(({ personaName }) => personaName))
            after = page.next
          } while (after !== null)
          assert.deepStrictEqual(seen, order, `${limit}`)
        }
      }))

    it("a day tells what its assignments came to as of now, and how long they took, by persona", () =>
      Effect.gen(function* () {
        const owner = ownerOf()
        const [ada, bo] = [persona({ name: "Ada" }), persona({ name: "Bo" })]
        const [first] = yield* send(owner, start, [ada, bo])
        assert.deepStrictEqual(figuresOf(yield* days(owner)), figuresOf([kept(ada, sent(1)), kept(bo, sent(1))]))
        yield* TestClock.setTime(start + minute)
        yield* Creator.notify(first)
        yield* TestClock.setTime(start + hour)
        yield* Creator.respondAndDraft(first)
        yield* TestClock.setTime(start + 3 * hour)
        yield* Creator.approve(first)
        const tally = newTally()
        add(tally, {
          status: "creator_approved",
          failureReason: null,
          notifiedAt: start + minute,
          respondedAt: start + hour,
          firstDraftedAt: start + hour,
          approvedAt: start + 3 * hour
        })
        assert.deepStrictEqual(figuresOf(yield* days(owner)), figuresOf([kept(ada, tally), kept(bo, sent(1))]))
      }))

    it("days are those from a first one on and before another, of one owner, with the latest name of each persona", () =>
      Effect.gen(function* () {
        const store = yield* PerformanceStore
        const owner = ownerOf()
        const midnight = Math.floor(start / day) * day
        const ada = persona({ name: "Ada Northwind" })
        for (const [index, name] of ["Too Early", "Ada Northwind", "Ada Southwind", "Too Late"].entries()) {
          yield* send(owner, midnight + (index - 1) * day, [{ ...ada, name }])
        }
        yield* send({ ...owner, environment: "test" }, midnight)
        yield* send({ ...owner, organizationId: organizationId() }, midnight)
        const told = yield* store.days(owner, midnight, midnight + 2 * day)
        assert.deepStrictEqual(figuresOf(told), figuresOf([kept({ ...ada, name: "Ada Southwind" }, sent(2))]))
        const open = yield* store.days(owner, midnight, null)
        assert.deepStrictEqual(figuresOf(open), figuresOf([kept({ ...ada, name: "Too Late" }, sent(3))]))
      }))

    it("the durations of many lie within 5 % of what they were, and none is lost", () =>
      Effect.gen(function* () {
        const owner = ownerOf()
        const ada = persona({ name: "Ada" })
        const times: Array<number> = []
        for (let index = 0; index < 80; index++) {
          const [id] = yield* send(owner, start, [ada])
          yield* TestClock.setTime(start + minute)
          yield* Creator.notify(id)
          const took = (index + 1) ** 2 * 10_007
          times.push(took)
          yield* TestClock.setTime(start + minute + took)
          yield* Creator.respond(id)
        }
        const [told] = yield* days(owner)
        const { response } = figures(told?.tally ?? newTally())
        assert.strictEqual(response.count, times.length)
        for (const [value, percent] of [
          [response.median, 50],
          [response.p90, 90]
        ] as const) {
          const exact = percentile(times, percent) ?? 0
          assert.closeTo(value ?? 0, exact, exact * 0.05)
        }
      }))
  })
}

const days = (owner: Owner) => Effect.flatMap(PerformanceStore, (store) => store.days(owner, start - 2 * day, null))

const kept = ({ id, name }: { readonly id: PersonaId; readonly name: string }, tally: Tally): KeptOfPersona => ({
  personaId: id,
  personaName: name,
  tally
})

/** So many that nothing has come of yet. */
const sent = (count: number): Tally => {
  const tally = newTally()
  Object.assign(tally.counts, { sent: count, pending: count })
  return tally
}

const figuresOf = (told: ReadonlyArray<KeptOfPersona>) =>
  told
    .map(({ personaId, personaName, tally }) => ({ personaId, personaName, ...figures(tally) }))
    .toSorted((one, other) => (one.personaName < other.personaName ? -1 : 1))

const send = Effect.fnUntraced(function* (owner: Owner, createdAt: number, asked = personas(1)) {
  const topics = yield* TopicStore
  const { sent } = yield* topics.submit(submission({ personas: asked, topic: { ...owner, createdAt } }))
  return sent as readonly [ShareId, ...ReadonlyArray<ShareId>]
})

const all = (owner: Owner) =>
  Effect.map(
    Effect.flatMap(PerformanceStore, (store) => store.page(owner, whole, null, 100)),
    ({ courses }) => courses
  )
