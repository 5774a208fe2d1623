/**
 * Tests what every store guarantees about the data of the test environment: each organization has a storage limit, and
 * old topics are deleted by whole days.
 */
import { assert, describe } from "@effect/vitest"
import { Retention } from "@partner-commentary/core/operations/Retention"
import { PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import type { Submission } from "@partner-commentary/core/topic/Submission"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { EventLog } from "@partner-commentary/core/webhook/EventLog"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Creator from "../support/Creator.ts"
import {
  day,
  makeOrganizationId,
  makePersonas,
  makeRepeatedSubmission,
  makeSubmission,
  makeOwner as ownerOf,
  start
} from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

type Stores = TopicStore | AssignmentStore | Retention | EventLog | PerformanceStore

/** The first midnight after `start`. The time of `start` is noon. */
const midnight = start + day / 2

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  describe(`${name}: TopicStore, storage of the test environment`, () => {
    const it = makeGuaranteeTest(layer)

    const test = (
      owner: { readonly organizationId: Submission["topic"]["organizationId"] },
      limits = { topics: 2, bytes: 1_000_000 },
      changes: Parameters<typeof makeSubmission>[0] = {}
    ) =>
      makeSubmission({
        storage: { bytes: 1000, limits },
        ...changes,
        topic: { environment: "test", organizationId: owner.organizationId, ...changes.topic }
      })

    const submit = (given: Submission) => Effect.flatMap(TopicStore, (store) => store.submit(given))
    const listed = (owner: Parameters<TopicStore["Service"]["list"]>[0]["owner"]) =>
      Effect.flatMap(TopicStore, (store) => store.list({ owner, status: null, limit: 100, from: { offset: 0 } }))

    it("a test topic beyond the limit of topics is rejected and leaves no rows", () =>
      Effect.gen(function* () {
        const owner = ownerOf({ environment: "test" })
        yield* submit(test(owner))
        yield* submit(test(owner))
        const refused = test(owner)
        const error = yield* Effect.flip(submit(refused))
        assert.deepInclude(error, { _tag: "TestStorageFull", quota: "test_topics", limit: 2, remaining: 0 })
        assert.strictEqual((yield* listed(owner)).total, 2)
        const more = yield* submit({
          ...makeRepeatedSubmission(refused),
          storage: { bytes: 1000, limits: { topics: 3, bytes: 1_000_000 } }
        })
        assert.strictEqual(more.sent.length, 1, "not even a duplicate window was left")
      }))

    it("an organization's test topics can use bytes up to the limit, and topics of other organizations or of the live environment do not count", () =>
      Effect.gen(function* () {
        const owner = ownerOf({ environment: "test" })
        const limits = { topics: 100, bytes: 2500 }
        yield* submit(test(owner, limits))
        yield* submit(test(owner, limits, { storage: { bytes: 1500, limits } }))
        const error = yield* Effect.flip(submit(test(owner, limits, { storage: { bytes: 1, limits } })))
        assert.deepInclude(error, { _tag: "TestStorageFull", quota: "test_bytes", limit: 2500, remaining: 0 })
        yield* submit(test({ organizationId: makeOrganizationId() }, limits))
        yield* submit(makeSubmission({ topic: { organizationId: owner.organizationId } }))
      }))

    it("of 30 concurrent test topics, exactly as many are accepted as the limit allows", () =>
      Effect.gen(function* () {
        const owner = ownerOf({ environment: "test" })
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 30 }, () => test(owner, { topics: 10, bytes: 1_000_000 })),
          (one) => Effect.result(submit(one)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(outcomes.filter(({ _tag }) => _tag === "Success").length, 10)
        assert.strictEqual((yield* listed(owner)).total, 10)
      }))

    it("test topics of earlier days are deleted with their assignments, events and metrics and free their storage; other topics stay", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const events = yield* EventLog
        const performance = yield* PerformanceStore
        const owner = ownerOf({ environment: "test" })
        const limits = { topics: 3, bytes: 1_000_000 }
        const at = (createdAt: number) => test(owner, limits, { topic: { createdAt }, personas: makePersonas(2) })
        const [old, older, young] = [at(midnight - 1), at(start), at(midnight)]
        const live = makeSubmission({ topic: { organizationId: owner.organizationId } })
        const shares = (yield* submit(old)).sent
        yield* submit(older)
        yield* submit(young)
        yield* submit(live)
        for (const id of shares) yield* Creator.decline(id)
        const page = events.page({
          owner,
          since: 0,
          forward: false,
          behind: null,
          limit: 10,
          type: null,
          maxBytes: 100_000
        })
        assert.strictEqual((yield* page).events.length, 3)
        const before = { mails: 0, windows: 0, answers: 0, events: 0, testTopics: midnight + day / 2 }
        assert.strictEqual((yield* retention.count(before)).testTopics, 2)
        assert.strictEqual((yield* retention.purge(before)).testTopics, 2)
        assert.strictEqual((yield* retention.count(before)).testTopics, 0)
        const left = yield* listed(owner)
        assert.deepStrictEqual([left.total, left.items.map(({ id }) => id)], [1, [young.topic.id]])
        assert.strictEqual((yield* page).events.length, 0)
        const store = yield* TopicStore
        assert.isTrue(Option.isNone(yield* store.find(owner, old.topic.id)))
        assert.deepStrictEqual(
          (yield* performance.days(owner, start - day, null)).map(({ metrics }) => metrics.counts.sent),
          [1, 1]
        )
        assert.isTrue(Option.isSome(yield* store.find(live.topic, live.topic.id)))
        yield* submit(at(midnight + 1))
        yield* submit(at(midnight + 2))
        assert.strictEqual((yield* Effect.flip(submit(at(midnight + 3))))._tag, "TestStorageFull")
      }))

    it("test topics are deleted in batches: each batch returns its number of deleted rows, and 0 means that no rows are left", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const owner = ownerOf({ environment: "test" })
        for (let count = 0; count < 25; count++) yield* submit(test(owner, { topics: 100, bytes: 1_000_000 }))
        const seen: Array<number> = []
        for (;;) {
          const gone = yield* retention.purgeTests(midnight)
          if (gone === 0) break
          seen.push((yield* listed(owner)).total)
        }
        assert.isAtLeast(seen.length, 3)
        assert.strictEqual(seen.at(-1), 0)
      }))

    it("an assignment that changes during the deletion of its topic is changed before the deletion or is not found", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const owner = ownerOf({ environment: "test" })
        const { sent } = yield* submit(test(owner, undefined, { personas: makePersonas(8) }))
        const changes = Effect.forEach(sent, (id) => Effect.exit(Creator.decline(id)), { concurrency: "unbounded" })
        yield* Effect.all([changes, retention.purgeTests(midnight)], { concurrency: "unbounded" })
        assert.strictEqual((yield* listed(owner)).total, 0)
        assert.deepStrictEqual(yield* (yield* PerformanceStore).days(owner, start - day, null), [])
      }))
  })
}
