/**
 * Tests the guarantees of every WebhookStore for notices to the contact. An organization gets at most one mail in five
 * minutes, and no change is lost.
 */
import { assert, describe } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import type { Webhook } from "@partner-commentary/core/webhook/Webhook"
import { listNoticeWebhooks, type WebhookContactNotice } from "@partner-commentary/core/webhook/WebhookContactNotice"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { makeOwner, makeWebhook, minute, second, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

const audit = { action: "webhook.updated", details: {} }

/** The first start of a five-minute period at or after `start`. */
const begin = Math.ceil(start / (5 * minute)) * 5 * minute

const notice = (
  { id, owner: { organizationId }, events }: Webhook,
  about: { readonly at: number; readonly host: string; readonly formerHost: string | null; readonly key?: string }
): WebhookContactNotice => ({
  kind: about.formerHost === null ? "webhook_added" : "webhook_moved",
  organizationId,
  at: about.at,
  webhook: { id, host: about.host, formerHost: about.formerHost, events, keyPrefix: about.key ?? "pk_live_AbCd1234" }
})

export const suite = <E>(name: string, layer: Layer.Layer<WebhookStore | MailStore, E>): void => {
  describe(`${name}: WebhookStore, notices`, () => {
    const it = makeGuaranteeTest(layer)

    const added = Effect.fnUntraced(function* (one: Webhook, at: number, host = "first.example") {
      const given = notice(one, { at, host, formerHost: null })
      yield* (yield* WebhookStore).insert({ webhook: one, audit, notice: given }, "sealed", 20)
      return one
    })

    const moved = Effect.fnUntraced(function* (
      one: Webhook,
      formerHost: string,
      host: string,
      at: number,
      key?: string
    ) {
      const given = notice(one, { at, host, formerHost, ...(key === undefined ? {} : { key }) })
      yield* (yield* WebhookStore).modify(null, one.id, (present) => ({
        webhook: { ...present, updatedAt: present.updatedAt + 1 },
        audit,
        notice: given
      }))
    })

    /** Returns the due mails, and immediately settles them as sent. */
    const sent = Effect.fnUntraced(function* (at: number) {
      const store = yield* MailStore
      const due = yield* store.claim(at, at + minute, 100)
      yield* Effect.forEach(due, (mail) => store.settle(mail, { state: "sent" }, at))
      return due
    })

    it("the first notice is due immediately, and further notices are added to the same mail until a worker claims the mail", () =>
      Effect.gen(function* () {
        const one = yield* added(makeWebhook(), begin)
        yield* moved(one, "first.example", "second.example", begin + second)
        const [mail, ...others] = yield* sent(begin + second)
        assert.deepStrictEqual(others, [])
        assert.deepInclude(mail?.webhook, {
          id: one.id,
          kind: "webhook_added",
          formerHost: null,
          host: "second.example",
          passed: ["first.example"]
        })
        assert.deepStrictEqual(yield* sent(begin + 10 * minute), [])
      }))

    it("notices after the claim of a mail form a second mail, which is due at the end of the five minutes and has the last state of each webhook", () =>
      Effect.gen(function* () {
        const one = yield* added(makeWebhook(), begin)
        assert.lengthOf(yield* sent(begin), 1)
        const other = yield* added(makeWebhook({ owner: one.owner }), begin + second, "other.example")
        yield* moved(one, "first.example", "evil.example", begin + second, "pk_live_Stolen00")
        yield* moved(one, "evil.example", "first.example", begin + minute)
        assert.deepStrictEqual(yield* (yield* MailStore).nextDue, Option.some(begin + 5 * minute))
        assert.deepStrictEqual(yield* sent(begin + 5 * minute - 1), [])
        const [mail, ...others] = yield* sent(begin + 5 * minute)
        assert.deepStrictEqual(others, [])
        const mentions = listNoticeWebhooks(mail?.webhook ?? assert.fail())
        assert.deepStrictEqual(
          mentions.map(({ formerHost, host, id, keyPrefix, passed }) => ({ formerHost, host, id, keyPrefix, passed })),
          [
            {
              id: other.id,
              formerHost: null,
              host: "other.example",
              keyPrefix: "pk_live_AbCd1234",
              passed: undefined
            },
            {
              id: one.id,
              formerHost: "first.example",
              host: "first.example",
              keyPrefix: "pk_live_Stolen00…, pk_live_AbCd1234",
              passed: ["evil.example"]
            }
          ]
        )
      }))

    it("80 concurrent changes in the five minutes after a mail cause only one further mail", () =>
      Effect.gen(function* () {
        const one = yield* added(makeWebhook(), begin)
        assert.lengthOf(yield* sent(begin), 1)
        const store = yield* WebhookStore
        const counted = store.modify(null, one.id, (present) => {
          const number = Number(present.url.split("/").at(-1)) || 0
          const [formerHost, host] = [`host${number}.example`, `host${number + 1}.example`]
          return {
            webhook: { ...present, url: `https://example.com/${number + 1}` },
            audit,
            notice: notice(present, { at: begin + second, host, formerHost })
          }
        })
        yield* Effect.all(
          Array.from({ length: 80 }, () => counted),
          { concurrency: "unbounded" }
        )
        const mails = yield* sent(begin + 10 * minute)
        assert.lengthOf(mails, 1)
        assert.strictEqual(mails[0]?.webhook?.host, "host80.example")
      }))

    it("each organization gets its own mail about its webhooks", () =>
      Effect.gen(function* () {
        yield* added(makeWebhook(), begin)
        yield* added(makeWebhook({ owner: makeOwner() }), begin)
        assert.lengthOf(yield* sent(begin), 2)
      }))

    it("if many webhooks are added and removed, the mail mentions the remaining webhook and counts the omitted webhooks", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const first = yield* added(makeWebhook(), begin)
        assert.lengthOf(yield* sent(begin), 1)
        const stays = yield* added(makeWebhook({ owner: first.owner }), begin + second, "evil.example")
        for (let count = 0; count < 60; count++) {
          const { id } = yield* added(makeWebhook({ owner: first.owner }), begin + second)
          yield* store.remove(first.owner, id, audit)
        }
        const [mail] = yield* sent(begin + 5 * minute)
        const mentions = listNoticeWebhooks(mail?.webhook ?? assert.fail())
        assert.lengthOf(mentions, 40)
        assert.strictEqual(mentions[0]?.id, stays.id)
        assert.strictEqual(mail?.webhook?.omitted, 21)
      }))
  })
}
