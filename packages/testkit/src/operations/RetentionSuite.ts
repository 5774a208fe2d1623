/**
 * Tests the guarantees of every Retention. Data older than the given limit is deleted, and no other data is deleted.
 */
import { assert, describe } from "@effect/vitest"
import { IdempotencyStore } from "@partner-commentary/core/idempotency/IdempotencyStore"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { Retention } from "@partner-commentary/core/operations/Retention"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import type { ReceiverState } from "@partner-commentary/core/webhook/CircuitBreaker"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import {
  day,
  hour,
  makeMail,
  makePersonas,
  makeRepeatedSubmission,
  makeSubmission,
  makeWebhook,
  start
} from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

export const suite = <E>(
  name: string,
  layer: Layer.Layer<
    | Retention
    | MailStore
    | TopicStore
    | AssignmentStore
    | WebhookStore
    | DeliveryStore
    | IdempotencyStore
    | Transaction,
    E
  >
): void => {
  describe(`${name}: Retention`, () => {
    const it = makeGuaranteeTest(layer)
    const keepAll = { mails: 0, windows: 0, answers: 0, events: 0, testTopics: 0 }

    it("mails that were settled before the given time are deleted, and unsent mails of any age stay", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const store = yield* MailStore
        for (const [index, state] of (["sent", "obsolete", "failed"] as const).entries()) {
          yield* store.queue(makeMail())
          for (const claimed of yield* store.claim(start, start + day, 10)) {
            yield* store.settle(claimed, { state, reason: "550" }, start + index * hour)
          }
        }
        yield* store.queue(makeMail())
        assert.deepStrictEqual(yield* retention.purge({ ...keepAll, mails: start + 2 * hour }), {
          ...keepAll,
          mails: 2
        })
        assert.strictEqual((yield* store.failed(10)).length, 1)
        assert.deepStrictEqual(yield* retention.purge({ ...keepAll, mails: start + 99 * day }), {
          ...keepAll,
          mails: 1
        })
        assert.strictEqual((yield* store.claim(start, start + hour, 10)).length, 1)
      }))

    it("duplicate windows that ended before the given time are deleted, and later windows still detect duplicates", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const topics = yield* TopicStore
        const given = makeSubmission({ personas: makePersonas(2) })
        yield* topics.submit(given)
        assert.deepStrictEqual(yield* retention.purge({ ...keepAll, windows: given.windowUntil }), keepAll)
        const counted = yield* retention.count({ ...keepAll, windows: given.windowUntil + 1 })
        assert.deepStrictEqual(counted, { ...keepAll, windows: 2 })
        const error = yield* Effect.flip(topics.submit(makeRepeatedSubmission(given)))
        assert.strictEqual(error._tag, "NoValidPersonas")
        const purged = yield* retention.purge({ ...keepAll, windows: given.windowUntil + 1 })
        assert.deepStrictEqual(purged, { ...keepAll, windows: 2 })
        assert.deepStrictEqual(yield* retention.purge({ ...keepAll, windows: given.windowUntil + 1 }), keepAll)
      }))

    it("events before the given time are deleted with their deliveries, including held deliveries, and later events are still sent", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const store = yield* DeliveryStore
        const one = makeWebhook()
        const audit = { action: "webhook.created", details: {} }
        yield* (yield* WebhookStore).insert({ webhook: one, audit, notice: null }, "sealed", 20)
        const given = makeSubmission({ topic: one.owner, personas: makePersonas(2) })
        const { sent } = yield* (yield* TopicStore).submit(given)
        for (const [index, id] of sent.entries()) {
          yield* TestClock.setTime(start + index * hour)
          yield* Creator.decline(id)
        }
        assert.deepStrictEqual(yield* retention.purge({ ...keepAll, events: start }), keepAll)
        const purged = yield* retention.purge({ ...keepAll, events: start + hour })
        assert.deepStrictEqual(purged, { ...keepAll, events: 1 })
        const open = { allow: () => ({ limit: 5, probe: false }), taken: (present: ReceiverState) => present }
        const claimed = yield* store.claim(one.id, start + day, start + 2 * day, open)
        assert.deepStrictEqual(claimed.length, 1)
        assert.include(claimed[0]?.payload, '"timestamp":"2026-01-30T13:00:00.000Z"')
        yield* retention.purge({ ...keepAll, events: start + day })
        assert.isTrue(Option.isNone(yield* store.nextDue))
      }))

    it("a webhook's former secret is deleted when its grace period is over, and the present secret stays", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const store = yield* WebhookStore
        const audit = { action: "webhook.secret_rotated", details: {} }
        const [early, late] = [makeWebhook(), makeWebhook()]
        for (const [one, formerUntil] of [
          [early, start + hour],
          [late, start + day]
        ] as const) {
          yield* store.insert({ webhook: one, audit, notice: null }, "one", 20)
          yield* store.rotateSecret(one.owner, one.id, { encrypted: "two", at: start, formerUntil }, audit)
        }
        const formerOf = ({ id }: { readonly id: typeof early.id }) =>
          Effect.map(store.secrets(id), (found) => Option.getOrThrow(found).formerSecret)
        yield* TestClock.setTime(start + hour - 1)
        yield* retention.purge(keepAll)
        assert.deepStrictEqual(yield* formerOf(early), { encrypted: "one", until: start + hour })
        yield* TestClock.setTime(start + hour)
        assert.deepStrictEqual(yield* retention.purge(keepAll), keepAll)
        const remaining = { encryptedSecret: "two", formerSecret: null }
        assert.deepStrictEqual(yield* store.secrets(early.id), Option.some(remaining))
        assert.deepStrictEqual(yield* formerOf(late), { encrypted: "one", until: start + day })
      }))

    it("stored responses that expired before the given time are deleted, and other stored responses are still returned", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const answers = yield* IdempotencyStore
        const { run } = yield* Transaction
        for (const [index, id] of ["first", "second"].entries()) {
          const claim = { id, fingerprint: "body", at: start, until: start + (index + 1) * hour }
          const answer = { status: 201, location: null, body: "{}", encrypted: false }
          yield* run(Effect.andThen(answers.claim(claim), answers.keep(id, answer)))
        }
        assert.deepStrictEqual(yield* retention.purge({ ...keepAll, answers: start + hour }), keepAll)
        const purged = yield* retention.purge({ ...keepAll, answers: start + hour + 1 })
        assert.deepStrictEqual(purged, { ...keepAll, answers: 1 })
        assert.isTrue(Option.isNone(yield* answers.find("first", start)))
        assert.isTrue(Option.isSome(yield* answers.find("second", start)))
      }))
  })
}
