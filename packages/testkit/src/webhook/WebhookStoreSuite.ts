/** Tests the guarantees of the WebhookStore port: exact limits, sequential changes, and separate owners. */
import { assert, describe } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { applyPatch, type Webhook } from "@partner-commentary/core/webhook/Webhook"
import {
  calculateNoticePeriodNumber,
  listNoticeWebhooks,
  makeNoticeMail,
  type WebhookContactNotice
} from "@partner-commentary/core/webhook/WebhookContactNotice"
import { WebhookStore, type WebhookStoreChange } from "@partner-commentary/core/webhook/WebhookStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { hour, makeOwner, makeWebhook, minute, second, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

const audit = { action: "webhook.created", details: { by: "a key" } }

const change = (of: Webhook, about: WebhookStoreChange["notice"] = null): WebhookStoreChange => ({
  webhook: of,
  audit,
  notice: about
})

const aboutIt = (of: Webhook): WebhookContactNotice => ({
  kind: "webhook_added",
  organizationId: of.owner.organizationId,
  at: start,
  webhook: {
    id: of.id,
    host: "hooks.example.org",
    formerHost: null,
    events: of.events,
    keyPrefix: "pk_live_AbCd1234"
  }
})

export const suite = <E>(name: string, layer: Layer.Layer<WebhookStore | MailStore, E>): void => {
  describe(`${name}: WebhookStore`, () => {
    const it = makeGuaranteeTest(layer)

    const stored = Effect.fnUntraced(function* (changes: Partial<Webhook> = {}, limit = 20) {
      const made = makeWebhook(changes)
      yield* (yield* WebhookStore).insert(change(made), `sealed ${made.id}`, limit)
      return made
    })

    const presentSecret = (id: Webhook["id"]) =>
      Effect.map(
        WebhookStore.use(({ secrets }) => secrets(id)),
        Option.map(({ encryptedSecret }) => encryptedSecret)
      )

    it("a webhook is found with the data of its registration and with its encrypted secret", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const bare = yield* stored()
        const full = yield* stored({
          owner: makeOwner({ environment: "test" }),
          status: "disabled",
          consecutiveFailures: 23,
          lastDeliveryAt: start - hour,
          updatedAt: start + second
        })
        for (const one of [bare, full]) {
          assert.deepStrictEqual(yield* store.find(one.owner, one.id), Option.some(one))
          assert.deepStrictEqual(yield* presentSecret(one.id), Option.some(`sealed ${one.id}`))
        }
        assert.isTrue(Option.isNone(yield* store.secrets(makeWebhook().id)))
      }))

    it("a webhook of another organization or environment cannot be found, listed, changed or removed", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const theirs = yield* stored()
        const strangers = [makeOwner(), { ...theirs.owner, environment: "test" as const }]
        for (const stranger of strangers) {
          assert.isTrue(Option.isNone(yield* store.find(stranger, theirs.id)))
          assert.deepStrictEqual(yield* store.list(stranger), [])
          const modified = yield* store.modify(stranger, theirs.id, (present) =>
            change({ ...present, status: "paused" })
          )
          assert.isTrue(Option.isNone(modified))
          assert.isFalse(yield* store.remove(stranger, theirs.id, audit))
        }
        assert.deepStrictEqual(yield* store.find(theirs.owner, theirs.id), Option.some(theirs))
      }))

    it("an owner's webhooks are listed newest first", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const mine = makeOwner()
        const made = yield* Effect.forEach([0, hour, hour], (age) => stored({ owner: mine, createdAt: start + age }))
        yield* stored()
        assert.deepStrictEqual(yield* store.list(mine), made.toReversed())
      }))

    it("of 30 concurrent registrations with a limit of 20, exactly 20 are stored, and rejected registrations send no mail", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const mine = makeOwner()
        const answers = yield* Effect.forEach(
          Array.from({ length: 30 }, () => makeWebhook({ owner: mine })),
          (one) => Effect.result(store.insert(change(one, aboutIt(one)), "sealed", 20)),
          { concurrency: "unbounded" }
        )
        const refused = answers.filter(Result.isFailure)
        assert.deepStrictEqual(
          refused.map(({ failure }) => failure.limit),
          Array.from({ length: 10 }, () => 20)
        )
        assert.strictEqual((yield* store.list(mine)).length, 20)
        const [mail, ...others] = yield* (yield* MailStore).claim(start, start + minute, 100)
        assert.lengthOf(listNoticeWebhooks(mail?.webhook ?? assert.fail()), 20)
        assert.deepStrictEqual(others, [])
        yield* stored({ owner: { ...mine, environment: "test" } })
      }))

    it("a removed webhook is deleted with its secret, no longer counts towards the limit, and can be removed only once", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const mine = makeOwner()
        const first = yield* stored({ owner: mine }, 1)
        yield* Effect.flip(stored({ owner: mine }, 1))
        const removals = yield* Effect.all([store.remove(mine, first.id, audit), store.remove(mine, first.id, audit)], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(removals.toSorted(), [false, true])
        assert.isTrue(Option.isNone(yield* store.find(mine, first.id)))
        assert.isTrue(Option.isNone(yield* store.secrets(first.id)))
        yield* stored({ owner: mine }, 1)
        yield* Effect.flip(stored({ owner: mine }, 1))
      }))

    it("a change of a webhook is stored with its mail, and the secret stays", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const before = yield* stored()
        const after: Webhook = {
          ...before,
          url: "https://other.example.org",
          events: ["partner.approved"],
          status: "paused",
          consecutiveFailures: 3,
          lastDeliveryAt: start,
          updatedAt: start + hour
        }
        const about = aboutIt(after)
        const modified = yield* store.modify(before.owner, before.id, (present) => {
          assert.deepStrictEqual(present, before)
          return change(after, about)
        })
        assert.deepStrictEqual(modified, Option.some(after))
        assert.deepStrictEqual(yield* store.find(before.owner, before.id), Option.some(after))
        assert.deepStrictEqual(yield* presentSecret(before.id), Option.some(`sealed ${before.id}`))
        const mails = yield* (yield* MailStore).claim(start, start + minute, 10)
        const queued = makeNoticeMail(calculateNoticePeriodNumber(start), about)
        assert.deepStrictEqual(mails, [{ ...queued, attempts: 1, ticket: 1, unanswered: 0, maybeSentAt: null }])
      }))

    it("if a change returns the webhook unchanged, nothing is written and no mail is queued", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const one = yield* stored()
        const modified = yield* store.modify(one.owner, one.id, (present) => change(present, aboutIt(present)))
        assert.deepStrictEqual(modified, Option.some(one))
        assert.deepStrictEqual(yield* (yield* MailStore).claim(start, start + minute, 10), [])
      }))

    it("concurrent changes of a webhook run one after the other, and no change is lost", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const one = yield* stored()
        const failing = store.modify(one.owner, one.id, (present) =>
          change({ ...present, consecutiveFailures: present.consecutiveFailures + 1 })
        )
        yield* Effect.all(
          Array.from({ length: 25 }, () => failing),
          { concurrency: "unbounded" }
        )
        const found = Option.getOrThrow(yield* store.find(one.owner, one.id))
        assert.strictEqual(found.consecutiveFailures, 25)
      }))

    it("encrypted secrets of all owners are read in pages, and replaceSecret replaces a secret only if it has not changed since", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const made = yield* Effect.forEach([1, 2, 3], () => stored())
        const sealed = made.map(({ id }) => ({ id, encryptedSecret: `sealed ${id}` }))
        assert.deepStrictEqual(yield* store.encryptedSecrets(null, 10), sealed)
        assert.deepStrictEqual(yield* store.encryptedSecrets(null, 2), sealed.slice(0, 2))
        const [first, second] = made as [Webhook, Webhook]
        assert.deepStrictEqual(yield* store.encryptedSecrets(second.id, 2), sealed.slice(2))
        yield* store.replaceSecret(first.id, { from: `sealed ${first.id}`, to: "anew" })
        yield* store.replaceSecret(second.id, { from: "something else", to: "anew" })
        assert.deepStrictEqual(yield* presentSecret(first.id), Option.some("anew"))
        assert.deepStrictEqual(yield* presentSecret(second.id), Option.some(`sealed ${second.id}`))
      }))

    it("a former secret is kept with its end time and can be re-encrypted, and the next rotation replaces it", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const { id, owner: mine } = yield* stored()
        const first = { encryptedSecret: `sealed ${id}`, formerSecret: null }
        assert.deepStrictEqual(yield* store.secrets(id), Option.some(first))
        const until = start + hour
        yield* TestClock.setTime(start)
        const rotated = yield* store.rotateSecret(mine, id, { encrypted: "two", at: start, formerUntil: until }, audit)
        assert.strictEqual(Option.getOrThrow(rotated).updatedAt, start)
        const two = { encryptedSecret: "two", formerSecret: { encrypted: `sealed ${id}`, until } }
        assert.deepStrictEqual(yield* store.secrets(id), Option.some(two))
        yield* store.replaceSecret(id, { from: `sealed ${id}`, to: "one anew" })
        const both = ["two", "one anew"].map((encryptedSecret) => ({ id, encryptedSecret }))
        assert.deepStrictEqual(yield* store.encryptedSecrets(null, 10), both)
        yield* TestClock.setTime(until)
        assert.deepStrictEqual(yield* store.encryptedSecrets(null, 10), both.slice(0, 1))
        const stranger = yield* store.rotateSecret(
          makeOwner(),
          id,
          { encrypted: "x", at: start, formerUntil: null },
          audit
        )
        assert.isTrue(Option.isNone(stranger))
        yield* store.rotateSecret(mine, id, { encrypted: "three", at: until, formerUntil: null }, audit)
        const three = { encryptedSecret: "three", formerSecret: null }
        assert.deepStrictEqual(yield* store.secrets(id), Option.some(three))
      }))

    it("listAll sorts webhooks by organization, live before test and newest first, and can filter by organization or disabled status", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const live = [makeOwner(), makeOwner()]
        const made = yield* Effect.forEach(
          live.flatMap((one) => [one, { ...one, environment: "test" as const }]),
          (of) =>
            Effect.all([stored({ owner: of, status: "disabled" }), stored({ owner: of, createdAt: start + hour })])
        )
        const newestFirst = made.flatMap((pair) => pair.toReversed())
        const ofOne = (id: string | null) => (one: Webhook) => one.owner.organizationId === id
        const [first] = [...new Set(newestFirst.map((one) => one.owner.organizationId))].toSorted()
        const expected = [
          ...newestFirst.filter(ofOne(first ?? null)),
          ...newestFirst.filter((one) => !ofOne(first ?? null)(one))
        ]
        const isDisabled = (one: Webhook) => one.status === "disabled"
        assert.deepStrictEqual(yield* store.listAll({ organizationId: null, disabled: false }), expected)
        assert.deepStrictEqual(
          yield* store.listAll({ organizationId: null, disabled: true }),
          expected.filter(isDisabled)
        )
        assert.deepStrictEqual(
          yield* store.listAll({ organizationId: first ?? null, disabled: true }),
          expected.filter(ofOne(first ?? null)).filter(isDisabled)
        )
      }))

    it("the time and reason of a webhook's latest disabling are read from the audit log", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const [unwell, well] = [yield* stored(), yield* stored()]
        const disabled = (reason: string, failures: number) =>
          store.modify(unwell.owner, unwell.id, (present) => ({
            webhook: { ...present, status: "disabled", consecutiveFailures: failures },
            audit: { action: "webhook.disabled", details: { by: "service", reason } },
            notice: null
          }))
        yield* disabled("Nobody was there.", 20)
        yield* TestClock.setTime(start + hour)
        yield* disabled("It said no.", 21)
        yield* store.modify(null, unwell.id, (present) =>
          change(applyPatch(present, { status: "active" }, start + hour))
        )
        assert.deepStrictEqual(
          yield* store.latestDisablings([unwell.id, well.id]),
          new Map([[unwell.id, { at: start + hour, reason: "It said no." }]])
        )
        assert.strictEqual((yield* store.latestDisablings([])).size, 0)
      }))

    it("an operator can change any owner's webhook", () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const one = yield* stored({ status: "disabled", consecutiveFailures: 20 })
        yield* store.modify(null, one.id, (present) => change(applyPatch(present, { status: "active" }, start + hour)))
        const found = Option.getOrThrow(yield* store.find(one.owner, one.id))
        assert.deepStrictEqual(found, {
          ...one,
          status: "active",
          consecutiveFailures: 0,
          updatedAt: start + hour
        })
        assert.isTrue(Option.isNone(yield* store.modify(null, makeWebhook().id, change)))
      }))
  })
}
