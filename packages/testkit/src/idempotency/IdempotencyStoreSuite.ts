/**
 * Tests the guarantees of the IdempotencyStore port. Only one request at a time holds the claim of an idempotency key.
 * The response is stored together with the change or not at all. Claims of idempotency keys and stored responses
 * expire.
 */
import { assert, describe } from "@effect/vitest"
import { IdempotencyStore, type StoredResponse } from "@partner-commentary/core/idempotency/IdempotencyStore"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import type { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { day, makeSubmission, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"
import { readTopicUsage } from "../webhook/TopicUsage.ts"

type Stores = IdempotencyStore | Transaction | TopicStore | UsageStore

const claim = { id: "id", fingerprint: "body", at: start, until: start + day }
const answer: StoredResponse = { status: 201, location: "/topics/1", body: '{"naïve":"☃"}', encrypted: false }

/** Claims the idempotency key, makes the change and stores the response. Returns the result of the claim. */
const change = (given: Partial<typeof claim> = {}, within: Effect.Effect<unknown> = Effect.void) =>
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const wanted = { ...claim, ...given }
    const outcome = yield* store.claim(wanted)
    if (outcome === "claimed") {
      yield* within
      yield* store.keep(wanted.id, answer)
    }
    return outcome
  }).pipe((all) => Effect.flatMap(Transaction, ({ run }) => run(all)))

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  describe(`${name}: IdempotencyStore`, () => {
    const it = makeGuaranteeTest(layer)

    it("a response is found only by its own id, unchanged and with the fingerprint of the request's body", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        yield* change()
        assert.deepStrictEqual(Option.getOrThrow(yield* store.find("id", start)), {
          ...answer,
          fingerprint: "body"
        })
        assert.isTrue(Option.isNone(yield* store.find("other", start)))
        const encrypted = { status: 200, location: null, body: "1.abc", encrypted: true }
        const { run } = yield* Transaction
        yield* run(Effect.andThen(store.claim({ ...claim, id: "sealed" }), store.keep("sealed", encrypted)))
        assert.deepStrictEqual(Option.getOrThrow(yield* store.find("sealed", start)), {
          ...encrypted,
          fingerprint: "body"
        })
      }))

    it("an id with a stored response cannot be claimed until the response expires", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        yield* change()
        assert.strictEqual(yield* change({ at: start + day - 1, fingerprint: "other" }), "kept")
        assert.isTrue(Option.isSome(yield* store.find("id", start + day - 1)))
        assert.isTrue(Option.isNone(yield* store.find("id", start + day)))
        assert.strictEqual(yield* change({ at: start + day, until: start + 2 * day, fingerprint: "other" }), "claimed")
        assert.strictEqual(Option.getOrThrow(yield* store.find("id", start + day)).fingerprint, "other")
      }))

    it("after a response has expired and its id is claimed again, no response is found", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const { run } = yield* Transaction
        yield* change()
        const seen = yield* run(
          Effect.andThen(
            store.claim({ ...claim, at: start + day, until: start + 2 * day }),
            store.find("id", start + day)
          )
        )
        assert.isTrue(Option.isNone(seen))
      }))

    it("a claim, its change and its response are atomic: after a failure none of them is stored", () =>
      Effect.gen(function* () {
        const store = yield* IdempotencyStore
        const topics = yield* TopicStore
        const given = makeSubmission()
        const broken = yield* Effect.exit(
          change({}, Effect.andThen(Effect.orDie(topics.submit(given)), Effect.die("broken")))
        )
        assert.strictEqual(broken._tag, "Failure")
        assert.deepStrictEqual(yield* readTopicUsage(given.topic), { topics: 0, held: 0, units: 0 })
        assert.isTrue(Option.isNone(yield* store.find("id", start)))
        assert.strictEqual(yield* change({}, Effect.orDie(topics.submit(given))), "claimed")
        assert.deepStrictEqual(yield* readTopicUsage(given.topic), { topics: 1, held: 1, units: 1 })
      }))

    it("if 20 transactions claim one id concurrently, exactly one transaction makes its change", () =>
      Effect.gen(function* () {
        let made = 0
        const outcomes = yield* Effect.forEach(
          Array.from({ length: 20 }),
          () =>
            change(
              {},
              Effect.sync(() => {
                made++
              })
            ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(outcomes.filter((outcome) => outcome === "claimed").length, 1)
        assert.strictEqual(made, 1)
      }))
  })
}
