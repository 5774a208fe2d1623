/**
 * Tests the guarantees of the TopicStore port for submissions. Duplicate windows and quotas are exact, even under
 * concurrency, and each submission is one transaction.
 */
import { assert, describe } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import type { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  makePersona,
  makePersonaId,
  makePersonas,
  makeRepeatedSubmission,
  makeSubmission,
  makeOwner as ownerOf,
  start,
  startOfNextMonth
} from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"
import { readTopicUsage } from "../webhook/TopicUsage.ts"

type Stores = TopicStore | MailStore | UsageStore

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  describe(`${name}: TopicStore.submit`, () => {
    const it = makeGuaranteeTest(layer)

    it("every requested persona has a result, in the order of the request", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const [first, other] = [makePersona(), makePersona()]
        const unlicensed = makePersonaId()
        const given = makeSubmission({
          personas: [other, first],
          requested: [unlicensed, first.id, other.id, first.id]
        })
        const { results } = yield* store.submit(given)
        assert.deepStrictEqual(
          results.map(({ personaId, status }) => [personaId, status]),
          [
            [unlicensed, "not_licensed"],
            [first.id, "sent"],
            [other.id, "sent"],
            [first.id, "duplicate"]
          ]
        )
      }))

    it("a repeated topic is a duplicate of the first topic until the duplicate window ends, and is sent at the exact end of the window", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const first = makeSubmission()
        yield* store.submit(first)
        const early = yield* Effect.flip(
          store.submit(makeRepeatedSubmission(first, { createdAt: first.windowUntil - 1 }))
        )
        assert.strictEqual(early._tag, "NoValidPersonas")
        assert.deepStrictEqual(
          early._tag === "NoValidPersonas" && early.results,
          first.candidates.map(({ persona: { id: personaId }, shareId }) => ({
            personaId,
            status: "duplicate" as const,
            shareId: null,
            duplicateOf: { topicId: first.topic.id, shareId }
          }))
        )
        const next = makeRepeatedSubmission(first, { createdAt: first.windowUntil })
        const { results } = yield* store.submit(next)
        assert.strictEqual(results[0]?.status, "sent")
        const after = yield* Effect.flip(
          store.submit(makeRepeatedSubmission(next, { createdAt: next.windowUntil - 1 }))
        )
        assert.strictEqual(after._tag === "NoValidPersonas" && after.results[0]?.duplicateOf?.topicId, next.topic.id)
      }))

    it("a topic is sent only to personas for which it is not a duplicate, and the other personas' results name the first submission", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const [asked, fresh] = [makePersona(), makePersona()]
        const first = makeSubmission({ personas: [asked] })
        yield* store.submit(first)
        const second = makeSubmission({
          personas: [asked, fresh],
          fingerprint: first.fingerprint,
          topic: { organizationId: first.topic.organizationId }
        })
        const { results, sent, topic } = yield* store.submit(second)
        assert.deepStrictEqual(
          results.map(({ duplicateOf, status }) => [status, duplicateOf?.topicId]),
          [
            ["duplicate", first.topic.id],
            ["sent", undefined]
          ]
        )
        assert.deepStrictEqual(
          sent,
          second.candidates.slice(1).map(({ shareId }) => shareId)
        )
        assert.strictEqual(topic.counts.topic_sent, 1)
        const found = Option.getOrThrow(yield* store.find(second.topic, second.topic.id))
        assert.deepStrictEqual(
          found.assignments.map(({ persona: { id } }) => id),
          [fresh.id]
        )
      }))

    it("each organization, environment, persona and content has its own duplicate window", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const asked = makePersona()
        const first = makeSubmission({ personas: [asked] })
        yield* store.submit(first)
        const { fingerprint, topic } = first
        const others = [
          makeSubmission({ personas: [asked], fingerprint }),
          makeSubmission({
            personas: [asked],
            fingerprint,
            topic: { organizationId: topic.organizationId, environment: "test" }
          }),
          makeSubmission({ fingerprint, topic: { organizationId: topic.organizationId } }),
          makeSubmission({ personas: [asked], topic: { organizationId: topic.organizationId } })
        ]
        for (const other of others) assert.strictEqual((yield* store.submit(other)).results[0]?.status, "sent")
      }))

    it("a topic that no requested persona can receive is rejected and leaves no rows", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const first = makeSubmission()
        yield* store.submit(first)
        const before = yield* readTopicUsage(first.topic)
        const refused = makeRepeatedSubmission(first)
        yield* Effect.flip(store.submit(refused))
        assert.isTrue(Option.isNone(yield* store.find(refused.topic, refused.topic.id)))
        assert.deepStrictEqual(yield* readTopicUsage(first.topic), before)
        const nobody = makeSubmission({ personas: [], requested: [makePersonaId()] })
        assert.strictEqual((yield* Effect.flip(store.submit(nobody)))._tag, "NoValidPersonas")
        assert.deepStrictEqual(yield* readTopicUsage(nobody.topic), { topics: 0, held: 0, units: 0 })
      }))

    it("a topic that a quota rejects leaves no rows and no duplicate windows", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const mails = yield* MailStore
        const quotas = { topics_per_month: 10, commentaries_per_month: 2 }
        const refused = makeSubmission({ personas: makePersonas(3), quotas })
        const error = yield* Effect.flip(store.submit(refused))
        assert.deepInclude(error, { _tag: "QuotaExceeded", quota: "commentaries_per_month", limit: 2, remaining: 2 })
        assert.deepStrictEqual(yield* readTopicUsage(refused.topic), { topics: 0, held: 0, units: 0 })
        assert.isTrue(Option.isNone(yield* store.progress(refused.topic, refused.topic.id)))
        assert.isTrue(Option.isNone(yield* mails.nextDue))
        const { results } = yield* store.submit({
          ...makeRepeatedSubmission(refused),
          quotas: { ...quotas, commentaries_per_month: 3 }
        })
        assert.deepStrictEqual(
          results.map(({ status }) => status),
          ["sent", "sent", "sent"]
        )
      }))

    it("a quota can be used up to its last unit, and starts again in each month", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const quotas = { topics_per_month: 2, commentaries_per_month: 100 }
        const organizationId = makeSubmission().topic.organizationId
        const send = (createdAt: number) =>
          store.submit(makeSubmission({ quotas, topic: { organizationId, createdAt } }))
        yield* send(start)
        yield* send(start)
        const error = yield* Effect.flip(send(start))
        assert.deepInclude(error, { quota: "topics_per_month", limit: 2, remaining: 0 })
        yield* send(startOfNextMonth)
        yield* Effect.flip(send(startOfNextMonth - 1))
      }))

    it("of 50 identical concurrent topics exactly one is sent", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const first = makeSubmission({ personas: makePersonas(2) })
        const all = [first, ...Array.from({ length: 49 }, () => makeRepeatedSubmission(first))]
        const outcomes = yield* Effect.forEach(all, (one) => Effect.result(store.submit(one)), {
          concurrency: "unbounded"
        })
        const sent = outcomes.filter(({ _tag }) => _tag === "Success")
        assert.strictEqual(sent.length, 1)
        assert.deepStrictEqual(yield* readTopicUsage(first.topic), { topics: 1, held: 1, units: 2 })
      }))

    it("of 50 concurrent topics, exactly as many are accepted as the quota allows", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const quotas = { topics_per_month: 10, commentaries_per_month: 1000 }
        const { organizationId } = makeSubmission().topic
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 50 }, () =>
            makeSubmission({ personas: makePersonas(2), quotas, topic: { organizationId } })
          ),
          (one) => Effect.result(store.submit(one)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(outcomes.filter(({ _tag }) => _tag === "Success").length, 10)
        assert.deepStrictEqual(yield* readTopicUsage(ownerOf({ organizationId })), { topics: 10, held: 10, units: 20 })
      }))

    it("of concurrent topics, only those fail that are invalid, are duplicates or exceed a quota", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const quotas = { topics_per_month: 8, commentaries_per_month: 10 }
        const { organizationId } = makeSubmission().topic
        const send = (changes: Parameters<typeof makeSubmission>[0]) =>
          makeSubmission({ quotas, ...changes, topic: { organizationId, ...changes?.topic } })
        const there = send({})
        yield* store.submit(there)
        const good = Array.from({ length: 4 }, () => send({ personas: makePersonas(2) }))
        const bad = [
          // A duplicate id is a defect that the database detects only when it writes the row.
          send({ topic: { id: there.topic.id } }),
          send({ personas: makePersonas(10) }),
          send({ personas: [], requested: [makePersonaId()] }),
          makeRepeatedSubmission(there)
        ]
        const all = good.flatMap((one, index) => [one, bad[index] ?? one])
        const exits = yield* Effect.forEach(all, (one) => Effect.exit(store.submit(one)), { concurrency: "unbounded" })
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true, false, true, false, true, false])
        assert.deepStrictEqual(
          exits.map((exit) => Option.getOrUndefined(Exit.findErrorOption(exit))?._tag),
          [undefined, undefined, undefined, "QuotaExceeded", undefined, "NoValidPersonas", undefined, "NoValidPersonas"]
        )
        for (const { candidates, topic } of good) {
          const found = Option.getOrThrow(yield* store.find(topic, topic.id))
          assert.deepStrictEqual(
            found.assignments.map(({ id }) => id),
            candidates.map(({ shareId }) => shareId)
          )
        }
        assert.deepStrictEqual(yield* readTopicUsage(there.topic), { topics: 5, held: 5, units: 9 })
        // A failed submission must not leave a duplicate window.
        const again = { ...makeRepeatedSubmission(bad[0] ?? there), quotas: { ...quotas, commentaries_per_month: 100 } }
        assert.strictEqual((yield* store.submit(again)).results[0]?.status, "sent")
      }))

    it("concurrent topics for the same personas never deadlock, in any order of personas", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const asked = makePersonas(8)
        const { fingerprint, topic } = makeSubmission()
        const all = Array.from({ length: 24 }, (_, turn) =>
          makeSubmission({
            personas: [...asked.slice(turn % 8), ...asked.slice(0, turn % 8)].slice(0, 5),
            fingerprint,
            topic: { organizationId: topic.organizationId }
          })
        )
        yield* Effect.forEach(all, (one) => Effect.result(store.submit(one)), { concurrency: "unbounded" })
        assert.strictEqual((yield* readTopicUsage(topic)).units, 8)
      }))
  })
}
