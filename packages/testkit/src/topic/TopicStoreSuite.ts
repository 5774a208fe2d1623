/**
 * Tests the guarantees of the TopicStore port for reading topics. SubmissionSuite, TopicListSuite and TopicCountsSuite
 * cover submissions, lists and counts.
 */
import { assert, describe } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { toIso } from "@partner-commentary/core/shared/Instant"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { emptyTopicCounts } from "@partner-commentary/core/topic/TopicStatus"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import type { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  makePersonas,
  makeSubmission,
  makeTopicId,
  makeWebhook,
  makeOwner as ownerOf,
  second,
  start
} from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"
import { readTopicUsage } from "../webhook/TopicUsage.ts"

const depth = { topics: 10, assignments: 100, bytes: 1_000_000 }

type Stores = TopicStore | MailStore | UsageStore

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  describe(`${name}: TopicStore`, () => {
    const it = makeGuaranteeTest(layer)

    it("a topic is found with the data of its submission, and with its assignments in the order of the request", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const asked = makePersonas(3)
        const given = makeSubmission({
          personas: asked.toReversed(),
          topic: {
            externalReference: "Match:42",
            content: "Wér gewinnt — 'quoted' \"twice\" 🏆?",
            metadata: { z: 1, a: { deep: [null, true, 1.5, "x"] }, "": "" },
            outputTypes: ["text", "audio"],
            webhookIds: [makeWebhook().id, makeWebhook().id]
          }
        })
        const submitted = yield* store.submit(given)
        const { assignments, topic } = Option.getOrThrow(yield* store.find(given.topic, given.topic.id))
        assert.deepStrictEqual(topic, submitted.topic)
        assert.deepStrictEqual(topic, {
          ...given.topic,
          status: "pending",
          counts: { ...emptyTopicCounts, topic_sent: 3 }
        })
        assert.deepStrictEqual(Object.keys(topic.metadata), ["z", "a", ""])
        assert.deepStrictEqual(
          assignments,
          given.candidates.map(({ persona: { id, imageUrl, name }, shareId }) => ({
            id: shareId,
            persona: { id, name, imageUrl },
            status: "topic_sent" as const,
            statusUpdatedAt: start,
            createdAt: start,
            commentary: null,
            failure: null
          }))
        )
        assert.deepStrictEqual(
          submitted.sent,
          assignments.map(({ id }) => id)
        )
      }))

    it("progress returns the same data in the same order as find", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const given = makeSubmission({ personas: makePersonas(3) })
        yield* store.submit(given)
        const { revision } = Option.getOrThrow(yield* store.find(given.topic, given.topic.id))
        assert.deepStrictEqual(Option.getOrThrow(yield* store.progress(given.topic, given.topic.id)), {
          id: given.topic.id,
          revision,
          externalReference: given.topic.externalReference,
          content: given.topic.content,
          metadata: given.topic.metadata,
          outputTypes: given.topic.outputTypes,
          status: "pending",
          createdAt: toIso(start),
          assignments: given.candidates.map(({ persona: { id, name }, shareId }) => ({
            id: shareId,
            personaId: id,
            personaName: name,
            status: "topic_sent" as const,
            statusUpdatedAt: toIso(start),
            failureReason: null,
            failureAt: null,
            expiresAt: toIso(given.respondBy)
          }))
        })
      }))

    it("every method that reads a topic returns the same revision, and returns it only to the topic's owner", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const given = makeSubmission({})
        const other = makeSubmission({ topic: ownerOf() })
        yield* store.submit(given)
        yield* store.submit(other)
        const { id } = given.topic
        const { revision } = Option.getOrThrow(yield* store.find(given.topic, id))
        const list = { owner: given.topic, status: null, limit: 1, from: { offset: 0 } }
        const reads = [given.topic, other.topic, { ...given.topic, environment: "test" as const }]
        const found = yield* Effect.forEach(reads, (owner) => store.revision(owner, id), { concurrency: "unbounded" })
        assert.deepStrictEqual(found, [Option.some(revision), Option.none(), Option.none()])
        assert.deepStrictEqual(
          (yield* store.list(list)).items.map((listed) => listed.revision),
          [revision]
        )
      }))

    it("a topic of the test environment uses no live quota and sends no mail", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const mails = yield* MailStore
        const given = makeSubmission({ topic: { environment: "test" } })
        yield* store.submit(given)
        assert.deepStrictEqual(yield* readTopicUsage(given.topic), { topics: 1, held: 1, units: 1 })
        const live = { ...given.topic, environment: "live" as const }
        assert.deepStrictEqual(yield* readTopicUsage(live), { topics: 0, held: 0, units: 0 })
        assert.isTrue(Option.isNone(yield* mails.nextDue))
      }))

    it("every creator of a submitted topic gets one request mail, which is due immediately", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const mails = yield* MailStore
        const given = makeSubmission({ personas: makePersonas(3) })
        yield* store.submit(given)
        const queued = yield* mails.claim(start, start + second, 10)
        assert.deepStrictEqual(
          queued.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
          given.candidates.map(({ shareId }) => ({
            id: `${shareId}.request`,
            kind: "request" as const,
            shareId,
            organizationId: given.topic.organizationId,
            address: null,
            createdAt: start,
            attempts: 1,
            ticket: 1,
            unanswered: 0,
            maybeSentAt: null
          }))
        )
      }))

    it("another organization or environment does not find the topic", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const given = makeSubmission({ topic: { externalReference: "shared" } })
        yield* store.submit(given)
        const { id, organizationId } = given.topic
        const strangers: ReadonlyArray<Owner> = [ownerOf(), { organizationId, environment: "test" }]
        for (const stranger of strangers) {
          assert.isTrue(Option.isNone(yield* store.find(stranger, id)))
          assert.isTrue(Option.isNone(yield* store.progress(stranger, id)))
          assert.deepStrictEqual(yield* store.byReference(stranger, "shared", depth), {
            topics: [],
            metadata: {},
            more: false
          })
          assert.deepStrictEqual(yield* readTopicUsage(stranger), { topics: 0, held: 0, units: 0 })
        }
        assert.isTrue(Option.isNone(yield* store.find(given.topic, makeTopicId())))
        assert.isTrue(Option.isNone(yield* store.progress(given.topic, makeTopicId())))
      }))

    it("an external reference finds its topics newest first with their own assignments, up to the limit of topics", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const { organizationId } = makeSubmission().topic
        const given = [0, 1, 1, 2].map((age) =>
          makeSubmission({
            personas: makePersonas(2),
            topic: { organizationId, externalReference: "Match:42", createdAt: start + age * second }
          })
        )
        for (const one of given) yield* store.submit(one)
        yield* store.submit(makeSubmission({ topic: { organizationId, externalReference: "match:42" } }))
        yield* store.submit(makeSubmission({ topic: { organizationId } }))
        const { more, topics: found } = yield* store.byReference(ownerOf({ organizationId }), "Match:42", {
          ...depth,
          topics: 3
        })
        assert.isTrue(more)
        assert.deepStrictEqual(
          found.map(({ assignments, topic }) => [topic.id, assignments.map(({ id }) => id)]),
          given
            .toReversed()
            .slice(0, 3)
            .map(({ candidates, topic }) => [topic.id, candidates.map(({ shareId }) => shareId)])
        )
      }))

    it("an external reference finds whole topics up to a total number of assignments, but always the newest topic", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const { organizationId } = makeSubmission().topic
        const sizes = [1, 2, 4, 3]
        for (const [age, size] of sizes.entries()) {
          const topic = { organizationId, externalReference: "final", createdAt: start + age * second }
          yield* store.submit(makeSubmission({ personas: makePersonas(size), topic }))
        }
        const within = (assignments: number, topics = 10) =>
          Effect.map(
            store.byReference(ownerOf({ organizationId }), "final", { ...depth, topics, assignments }),
            (found) => [found.topics.map((each) => each.assignments.length), found.more]
          )
        assert.deepStrictEqual(yield* within(10), [[3, 4, 2, 1], false])
        assert.deepStrictEqual(yield* within(9), [[3, 4, 2], true])
        // The lookup stops at the first topic that exceeds the limit of 8 assignments, although the oldest topic would
        // fit.
        assert.deepStrictEqual(yield* within(8), [[3, 4], true])
        assert.deepStrictEqual(yield* within(3), [[3], true])
        assert.deepStrictEqual(yield* within(1), [[3], true])
        assert.deepStrictEqual(yield* within(10, 4), [[3, 4, 2, 1], false])
        assert.deepStrictEqual(yield* within(10, 3), [[3, 4, 2], true])
      }))

    it("an external reference finds whole topics up to a total number of bytes, but always the newest topic", () =>
      Effect.gen(function* () {
        const store = yield* TopicStore
        const { organizationId } = makeSubmission().topic
        const sizes = [1, 3, 2]
        for (const [age, size] of sizes.entries()) {
          const topic = { organizationId, externalReference: "large", content: "ü".repeat(100), metadata: { age } }
          yield* store.submit(
            makeSubmission({
              personas: makePersonas(size),
              topic: { ...topic, createdAt: start + age * second }
            })
          )
        }
        const within = (bytes: number) =>
          Effect.map(store.byReference(ownerOf({ organizationId }), "large", { ...depth, bytes }), (found) => [
            found.topics.map((each) => each.assignments.length),
            found.more,
            found.metadata
          ])
        assert.deepStrictEqual(yield* within(1200), [[2, 3, 1], false, { age: 2 }])
        assert.deepStrictEqual(yield* within(1199), [[2, 3], true, { age: 2 }])
        assert.deepStrictEqual(yield* within(999), [[2], true, { age: 2 }])
        assert.deepStrictEqual(yield* within(1), [[2], true, { age: 2 }])
      }))
  })
}
