/** What every Retention promises: what is settled and closed goes at its time, and nothing else. */
import { assert, describe } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { Retention } from "@partner-commentary/core/operations/Retention"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { day, hour, mail, personas, repeated, start, submission } from "./Fixtures.ts"
import { guarantees } from "./Guarantee.ts"

export const suite = <E>(name: string, layer: Layer.Layer<Retention | MailStore | TopicStore, E>): void => {
  describe(`${name}: Retention`, () => {
    const it = guarantees(layer)
    const keepAll = { mails: 0, windows: 0 }

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
          mails: 2,
          windows: 0
        })
        assert.strictEqual((yield* store.failed(10)).length, 1)
        assert.deepStrictEqual(yield* retention.purge({ ...keepAll, mails: start + 99 * day }), {
          mails: 1,
          windows: 0
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
        const error = yield* Effect.flip(topics.submit(repeated(given)))
        assert.strictEqual(error._tag, "NoValidPersonas")
        const purged = yield* retention.purge({ ...keepAll, windows: given.windowUntil + 1 })
        assert.deepStrictEqual(purged, { mails: 0, windows: 2 })
        assert.deepStrictEqual(yield* retention.purge({ ...keepAll, windows: given.windowUntil + 1 }), keepAll)
      }))
  })
}
