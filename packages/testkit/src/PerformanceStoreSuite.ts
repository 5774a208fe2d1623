/** What every PerformanceStore promises: whose assignments and which ones, in what order, and all that figures are made of. */
import { assert, describe } from "@effect/vitest"
import type { Course } from "@partner-commentary/core/performance/Figures"
import { PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import type { ShareId } from "@partner-commentary/core/shared/Ids"
import type { Cursor } from "@partner-commentary/core/shared/Page"
import { defaults } from "@partner-commentary/core/shared/Policy"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { type Owner, TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { notified } from "@partner-commentary/core/topic/Workflow"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "./Creator.ts"
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
} from "./Fixtures.ts"
import { guarantees } from "./Guarantee.ts"

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
          id,
          personaId: asked.id,
          createdAt: start,
          status: "topic_sent",
          failureReason: null,
          notifiedAt: null,
          respondedAt: null,
          firstDraftedAt: null,
          approvedAt: null
        }
        assert.deepStrictEqual(yield* all(owner), [course])
        yield* TestClock.setTime(start + minute)
        yield* Effect.flatMap(AssignmentStore, (store) =>
          store.modify(id, (present) => {
            const { assignment, notices } = notified(present, { id: "mail", attempts: 1 }, start + minute, defaults)
            return Result.succeed({ assignment, notices })
          })
        )
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
        const told = new Map((yield* all(owner)).map(({ failureReason, id, status }) => [id, [status, failureReason]]))
        assert.deepStrictEqual(told.get(declined as ShareId), ["declined", "declined"])
        assert.deepStrictEqual(told.get(withdrawn as ShareId), ["commentary_generated", "withdrawn"])
      }))

    it("a period holds what was sent from its start on and before its end", () =>
      Effect.gen(function* () {
        const store = yield* PerformanceStore
        const owner = ownerOf()
        const [, first, last] = yield* Effect.forEach([-1, 0, day - 1, day], (later) => send(owner, start + later))
        const page = yield* store.page(owner, { start, end: start + day }, null, 10)
        assert.deepStrictEqual(
          page.map(({ id }) => id),
          [...(first ?? []), ...(last ?? [])]
        )
      }))

    it("nothing of another organization or environment is told", () =>
      Effect.gen(function* () {
        const owner = ownerOf()
        yield* send({ ...owner, environment: "test" }, start)
        yield* send({ ...owner, organizationId: organizationId() }, start)
        assert.deepStrictEqual(yield* all(owner), [])
      }))

    it("pages follow each other without a gap, oldest first, ties by id, wherever they are cut", () =>
      Effect.gen(function* () {
        const store = yield* PerformanceStore
        const owner = ownerOf()
        const late = yield* send(owner, start + hour, personas(3))
        const early = yield* send(owner, start, personas(4))
        const order = [...early.toSorted(), ...late.toSorted()]
        for (const limit of [1, 2, 3, 7, 8]) {
          const seen: Array<ShareId> = []
          let after: Cursor | null = null
          for (;;) {
            const page: Effect.Success<ReturnType<typeof store.page>> = yield* store.page(owner, whole, after, limit)
            seen.push(...page.map(({ id }) => id))
            after = page.at(-1) ?? null
            if (page.length < limit) break
          }
          assert.deepStrictEqual(seen, order)
        }
      }))

    it("personas are called as they were when they were sent", () =>
      Effect.gen(function* () {
        const store = yield* PerformanceStore
        const owner = ownerOf()
        const asked = persona({ name: "Ada Northwind" })
        const sent = yield* send(owner, start, [asked])
        const other = persona({ name: "Bo" })
        const later = yield* send(owner, start + day, [{ ...asked, name: "Ada Southwind" }, other])
        assert.deepStrictEqual([...(yield* store.namesOn(sent))], [[asked.id, "Ada Northwind"]])
        assert.deepStrictEqual(
          yield* store.namesOn(later),
          new Map([
            [asked.id, "Ada Southwind"],
            [other.id, "Bo"]
          ])
        )
        assert.deepStrictEqual(yield* store.namesOn([]), new Map())
      }))
  })
}

const send = Effect.fnUntraced(function* (owner: Owner, createdAt: number, asked = personas(1)) {
  const topics = yield* TopicStore
  const { sent } = yield* topics.submit(submission({ personas: asked, topic: { ...owner, createdAt } }))
  return sent as readonly [ShareId, ...ReadonlyArray<ShareId>]
})

const all = (owner: Owner) => Effect.flatMap(PerformanceStore, (store) => store.page(owner, whole, null, 100))
