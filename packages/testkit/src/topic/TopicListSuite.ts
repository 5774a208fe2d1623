/** Tests the guarantees of the TopicStore port for lists: order, pages and totals. */
import { assert, describe } from "@effect/vitest"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { type TopicQuery, TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import { makeSubmission, makeOwner as ownerOf, second, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

type Listed = Effect.Success<ReturnType<TopicStore["Service"]["list"]>>

export const suite = <E>(name: string, layer: Layer.Layer<TopicStore | AssignmentStore, E>): void => {
  describe(`${name}: TopicStore.list`, () => {
    const it = makeGuaranteeTest(layer)

    /** Creates seven topics, some with the same creation time, and returns the ids in the expected order. */
    const sevenTopics = Effect.gen(function* () {
      const store = yield* TopicStore
      const owner = ownerOf()
      const given = [0, 1, 1, 1, 2, 3, 3].map((age) =>
        makeSubmission({ topic: { organizationId: owner.organizationId, createdAt: start + age * second } })
      )
      for (const one of given) yield* store.submit(one)
      const list = (changes: Partial<TopicQuery>) =>
        store.list({ owner, status: null, limit: 100, from: { offset: 0 }, ...changes })
      return { given, list, expected: given.toReversed().map(({ topic }) => topic.id) }
    })

    const idsOf = (page: { readonly items: ReadonlyArray<{ readonly id: string }> }) => page.items.map(({ id }) => id)

    it("topics are listed newest first and then by id, with the total", () =>
      Effect.gen(function* () {
        const { expected, list } = yield* sevenTopics
        const page = yield* list({})
        assert.deepStrictEqual(idsOf(page), expected)
        assert.strictEqual(page.total, 7)
        assert.isTrue(Option.isNone(page.next))
      }))

    it("the offset is the number of skipped topics, and the last page has no next cursor", () =>
      Effect.gen(function* () {
        const { expected, list } = yield* sevenTopics
        const second = yield* list({ limit: 3, from: { offset: 3 } })
        assert.deepStrictEqual(idsOf(second), expected.slice(3, 6))
        assert.strictEqual(second.total, 7)
        assert.isTrue(Option.isSome(second.next))
        const whole = yield* list({ limit: 3, from: { offset: 4 } })
        assert.deepStrictEqual(idsOf(whole), expected.slice(4))
        assert.isTrue(Option.isNone(whole.next))
        const beyond = yield* list({ from: { offset: 7 } })
        assert.deepStrictEqual([idsOf(beyond), beyond.total, Option.isNone(beyond.next)], [[], 7, true])
      }))

    it("cursors return every topic once, even if topics are added meanwhile", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const { expected, given, list } = yield* sevenTopics
        const seen: Array<string> = []
        let from: TopicQuery["from"] | undefined = { offset: 0 }
        while (from !== undefined) {
          const page: Effect.Success<ReturnType<typeof list>> = yield* list({ limit: 2, from })
          seen.push(...idsOf(page))
          from = Option.getOrUndefined(Option.map(page.next, (cursor) => ({ cursor })))
          const { organizationId } = (given[0] as (typeof given)[number]).topic
          yield* store.submit(makeSubmission({ topic: { organizationId, createdAt: start + 10 * second } }))
        }
        assert.deepStrictEqual(seen, expected)
      }))

    it("a status filter lists and counts only the topics with this status", () =>
      Effect.gen(function* () {
        const { expected, given, list } = yield* sevenTopics
        const declined = given.slice(2, 4)
        for (const { candidates } of declined) {
          for (const { shareId } of candidates) yield* Creator.decline(shareId)
        }
        const completed = yield* list({ status: "completed" })
        assert.deepStrictEqual(
          idsOf(completed),
          declined.toReversed().map(({ topic }) => topic.id)
        )
        assert.strictEqual(completed.total, 2)
        const pending = yield* list({ status: "pending", limit: 2 })
        assert.strictEqual(pending.total, 5)
        assert.deepStrictEqual(idsOf(pending), expected.slice(0, 2))
        const cursor = Option.getOrThrow(pending.next)
        const rest = yield* list({ status: "pending", from: { cursor } })
        assert.deepStrictEqual(idsOf(rest), [...expected.slice(2, 3), ...expected.slice(5)])
        const partial = yield* list({ status: "partial" })
        assert.deepStrictEqual([idsOf(partial), partial.total], [[], 0])
      }))

    /** Follows the cursors of a list in pages of two topics, and returns all ids. */
    const allOf = Effect.fnUntraced(function* (list: (changes: Partial<TopicQuery>) => Effect.Effect<Listed>) {
      const seen: Array<string> = []
      let from: TopicQuery["from"] = { offset: 0 }
      for (;;) {
        const page: Listed = yield* list({ limit: 2, from })
        seen.push(...idsOf(page))
        if (Option.isNone(page.next)) return seen
        from = { cursor: page.next.value }
      }
    })

    it("with oldestFirst, topics are listed oldest first on every page", () =>
      Effect.gen(function* () {
        const { expected, list } = yield* sevenTopics
        const oldest = expected.toReversed()
        assert.deepStrictEqual(yield* allOf((page) => list({ oldestFirst: true, ...page })), oldest)
        assert.deepStrictEqual(idsOf(yield* list({ oldestFirst: true, from: { offset: 5 } })), oldest.slice(5))
      }))

    it("a filter with several statuses returns one merged list and one total", () =>
      Effect.gen(function* () {
        const { expected, given, list } = yield* sevenTopics
        const declined = given.slice(2, 4)
        for (const { shareId } of declined.flatMap(({ candidates }) => candidates)) yield* Creator.decline(shareId)
        const status = ["completed", "partial"] as const
        const ids = declined.toReversed().map(({ topic }) => topic.id)
        assert.deepStrictEqual(yield* allOf((page) => list({ status, ...page })), ids)
        const both = yield* list({ status: ["pending", "completed"] })
        assert.deepStrictEqual([idsOf(both), both.total], [expected, 7])
        const skipped = yield* list({ status: ["pending", "completed"], limit: 2, from: { offset: 3 } })
        assert.deepStrictEqual(idsOf(skipped), expected.slice(3, 5))
        const paged = yield* allOf((page) => list({ status: ["pending", "completed"], oldestFirst: true, ...page }))
        assert.deepStrictEqual(paged, expected.toReversed())
      }))

    it("a filter by creation time excludes topics created exactly at either limit, and the total counts only the listed topics", () =>
      Effect.gen(function* () {
        const { expected, list } = yield* sevenTopics
        const created = { after: start, before: start + 3 * second }
        const between = yield* list({ created })
        assert.deepStrictEqual([idsOf(between), between.total], [expected.slice(2, 6), 4])
        const late = yield* list({ created: { after: start + second, before: null }, status: "pending" })
        assert.deepStrictEqual([idsOf(late), late.total], [expected.slice(0, 3), 3])
        assert.deepStrictEqual(yield* allOf((page) => list({ created, ...page })), expected.slice(2, 6))
      }))

    it("topics are listed and counted by their external reference", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const { given, list } = yield* sevenTopics
        const { organizationId } = (given[0] as (typeof given)[number]).topic
        const referred = [4, 5].map((age) =>
          makeSubmission({ topic: { organizationId, externalReference: "a", createdAt: start + age * second } })
        )
        for (const one of referred) yield* store.submit(one)
        const found = yield* list({ reference: "a" })
        assert.deepStrictEqual([idsOf(found), found.total], [referred.toReversed().map(({ topic }) => topic.id), 2])
        const none = yield* list({ reference: "b" })
        assert.deepStrictEqual([idsOf(none), none.total], [[], 0])
      }))

    it("a filter by update time lists the changed topics in the order of their last change", () =>
      Effect.gen(function* () {
        const { expected, given, list } = yield* sevenTopics
        for (const [index, place] of [4, 1].entries()) {
          yield* TestClock.setTime(start + (10 + index) * second)
          for (const { shareId } of given[place]?.candidates ?? []) yield* Creator.decline(shareId)
        }
        const [first, second_] = [given[1], given[4]].map((one) => one?.topic.id as string)
        const changed = yield* list({ updatedAfter: start + 9 * second })
        assert.deepStrictEqual([idsOf(changed), changed.total], [[first, second_], 2])
        const pages = yield* allOf((page) => list({ updatedAfter: start, oldestFirst: true, ...page }))
        const others = expected
          .toReversed()
          .slice(1)
          .filter((id) => id !== first && id !== second_)
        assert.deepStrictEqual(pages, [...others, second_, first])
      }))
  })
}
