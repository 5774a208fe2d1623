/** What every Retention promises: what is settled and closed goes at its time, and nothing else. */
import { assert, describe } from "@effect/vitest"
import { IdempotencyStore } from "@partner-commentary/core/idempotency/IdempotencyStore"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { Retention } from "@partner-commentary/core/operations/Retention"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { day, hour, mail, personas, repeated, start, submission } from "./Fixtures.ts"
import { guarantees } from "./Guarantee.ts"

export const suite = <E>(
  name: string,
  layer: Layer.Layer<Retention | MailStore | TopicStore | IdempotencyStore | Transaction, E>
): void => {
  describe(`${name}: Retention`, () => {
    const it = guarantees(layer)
    const keepAll = { mails: 0, windows: 0, answers: 0 }

    it("mails settled before the given moment go; waiting ones stay, however old", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const store = yield* MailStore
        for (const [index, state] of (["sent", "obsolete", "failed"] as const).entries()) {
          yield* store.queue(mail())
          for (const claimed of yield* store.claim(start, start + day, 10)) {
            yield* store.settle(claimed, { state, reason: "550" }, start + index * hour)
          }
        }
        yield* store.queue(mail())
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

    it("windows closed before the given moment go; open ones still find duplicates", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const topics = yield* TopicStore
        const given = submission({ personas: personas(2) })
        yield* topics.submit(given)
        assert.deepStrictEqual(yield* retention.purge({ ...keepAll, windows: given.windowUntil }), keepAll)
        const counted = yield* retention.count({ ...keepAll, windows: given.windowUntil + 1 })
        assert.deepStrictEqual(counted, { ...keepAll, windows: 2 })
        const error = yield* Effect.flip(topics.submit(repeated(given)))
        assert.strictEqual(error._tag, "NoValidPersonas")
        const purged = yield* retention.purge({ ...keepAll, windows: given.windowUntil + 1 })
        assert.deepStrictEqual(purged, { ...keepAll, windows: 2 })
        assert.deepStrictEqual(yield* retention.purge({ ...keepAll, windows: given.windowUntil + 1 }), keepAll)
      }))

    it("answers under keys that ended before the given moment go; the others are still given", () =>
      Effect.gen(function* () {
        const retention = yield* Retention
        const answers = yield* IdempotencyStore
        const { run } = yield* Transaction
        for (const [index, id] of ["first", "second"].entries()) {
          const claim = { id, fingerprint: "body", at: start, until: start + (index + 1) * hour }
          const answer = { status: 201, location: null, body: "{}", sealed: false }
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
