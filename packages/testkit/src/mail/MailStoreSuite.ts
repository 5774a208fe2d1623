/**
 * Tests the guarantees of every MailStore. Only one worker at a time holds a mail, and no mail is lost before the mail
 * is settled.
 */
import { assert, describe } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { day, hour, makeMail, makeOrganizationId, makeShareId, minute, second, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

export const suite = <E>(name: string, layer: Layer.Layer<MailStore, E>): void => {
  describe(`${name}: MailStore`, () => {
    const it = makeGuaranteeTest(layer)

    const queued = Effect.fnUntraced(function* (changes: Parameters<typeof makeMail>[0] = {}) {
      const store = yield* MailStore
      const wanted = makeMail(changes)
      yield* store.queue(wanted)
      return wanted
    })

    const claimAll = (at: number) => Effect.flatMap(MailStore, (store) => store.claim(at, at + minute, 100))

    it("a queued mail is due immediately, and the first claim returns the mail unchanged", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        assert.isTrue(Option.isNone(yield* store.nextDue))
        const wanted = yield* queued({ organizationId: makeOrganizationId() })
        assert.deepStrictEqual(yield* store.nextDue, Option.some(start))
        assert.deepStrictEqual(yield* claimAll(start - 1), [])
        assert.deepStrictEqual(yield* claimAll(start), [
          { ...wanted, attempts: 1, ticket: 1, unanswered: 0, maybeSentAt: null }
        ])
      }))

    it("queuing a mail again changes nothing, even if the mail is claimed or sent", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const wanted = yield* queued()
        yield* store.queue({ ...wanted, address: "other@example.org", createdAt: start - hour })
        const [claimed] = yield* claimAll(start)
        assert.deepStrictEqual(claimed, { ...wanted, attempts: 1, ticket: 1, unanswered: 0, maybeSentAt: null })
        yield* store.queue(wanted)
        assert.deepStrictEqual(yield* claimAll(start), [])
        if (claimed !== undefined) yield* store.settle(claimed, { state: "sent" }, start)
        yield* store.queue(wanted)
        assert.isTrue(Option.isNone(yield* store.nextDue))
      }))

    it("the oldest due mails are claimed first, up to the limit", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const late = yield* queued({ createdAt: start + 2 * second })
        const middle = yield* queued({ createdAt: start + second })
        const early = yield* queued({ createdAt: start })
        const first = yield* store.claim(start + hour, start + 2 * hour, 2)
        assert.deepStrictEqual(
          first.map(({ id }) => id),
          [early.id, middle.id]
        )
        const rest = yield* store.claim(start + hour, start + 2 * hour, 2)
        assert.deepStrictEqual(
          rest.map(({ id }) => id),
          [late.id]
        )
      }))

    /**
     * Creates `count` mails of the organization, due a second apart. If `owner` is null, the mails belong to no
     * organization.
     */
    const many = Effect.fnUntraced(function* (count: number, owner: OrganizationId | null, from = start) {
      const of = []
      for (let index = 0; index < count; index++) {
        of.push((yield* queued({ organizationId: owner, createdAt: from + index * second })).id)
      }
      return of
    })

    it("if more mails are due than the limit, each organization gets an equal share, and mails without an organization get one share", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const much = yield* many(20, makeOrganizationId())
        const one = yield* many(1, makeOrganizationId(), start + minute)
        const none = yield* many(5, null, start + minute)
        const claim = (limit: number) =>
          Effect.map(store.claim(start + hour, start + 2 * hour, limit), (mails) => mails.map(({ id }) => id))
        assert.deepStrictEqual(yield* claim(6), [...much.slice(0, 2), ...one, ...none.slice(0, 2)])
        assert.deepStrictEqual(yield* claim(6), [...much.slice(2, 5), ...none.slice(2, 5)])
        assert.deepStrictEqual(yield* claim(6), much.slice(5, 11), "who is alone has all the room")
      }))

    it("if more organizations have due mails than the limit, a claim starts after the given organization, so that claims reach all organizations in turn", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const owners = [makeOrganizationId(), makeOrganizationId(), makeOrganizationId(), null]
        for (const owner of owners) yield* many(3, owner)
        const turns: Array<OrganizationId | null | undefined> = []
        for (let count = 0; count < 12; count++) {
          const behind = turns.at(-1) ?? null
          turns.push((yield* store.claim(start + hour, start + 2 * hour, 1, behind))[0]?.organizationId)
        }
        assert.deepStrictEqual(turns, [...owners, ...owners, ...owners])
      }))

    it("the next due time of mails is the earliest due time of all organizations", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        yield* many(2, makeOrganizationId(), start + hour)
        yield* many(2, makeOrganizationId(), start + minute)
        assert.deepStrictEqual(yield* store.nextDue, Option.some(start + minute))
        yield* many(1, null)
        assert.deepStrictEqual(yield* store.nextDue, Option.some(start))
      }))

    it("a claimed mail is not claimed again until its lease ends, and is then due", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        yield* queued()
        yield* store.claim(start, start + minute, 1)
        assert.deepStrictEqual(yield* store.claim(start + minute - 1, start + hour, 1), [])
        assert.deepStrictEqual(yield* store.nextDue, Option.some(start + minute))
        const [again] = yield* store.claim(start + minute, start + hour, 1)
        const possible = { ticket: 2, attempts: 1, maybeSentAt: start }
        assert.deepInclude(again, possible, "the process died, which is no attempt, but may have sent the mail")
      }))

    it("a renewed lease of a mail lasts until its new end, and the lease of an outdated or settled claim cannot be renewed", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        yield* queued()
        const [first] = yield* claimAll(start)
        if (first === undefined) return assert.fail("nothing was claimed")
        assert.isTrue(yield* store.renew(first, start + hour))
        assert.deepStrictEqual(yield* claimAll(start + hour - 1), [])
        const [second] = yield* claimAll(start + hour)
        if (second === undefined) return assert.fail("nothing was claimed")
        assert.isFalse(yield* store.renew(first, start + day), "it was overtaken")
        assert.deepStrictEqual(yield* store.nextDue, Option.some(start + hour + minute))
        yield* store.settle(second, { state: "sent" }, start + hour)
        assert.isFalse(yield* store.renew(second, start + day), "it was settled")
        assert.isTrue(Option.isNone(yield* store.nextDue))
      }))

    it("attempts to which the mail server did not reply are counted separately, except stopped attempts", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        yield* queued()
        const refusals = [{ unanswered: true }, {}, { unanswered: true }, { unanswered: true, stopped: true }, {}]
        for (const [index, refusal] of refusals.entries()) {
          const at = start + index * hour
          for (const claimed of yield* claimAll(at)) {
            yield* store.settle(claimed, { state: "waiting", until: at + hour, reason: "no answer", ...refusal }, at)
          }
        }
        const [last] = yield* claimAll(start + 5 * hour)
        assert.deepInclude(last, { attempts: 6, unanswered: 2, maybeSentAt: start + 3 * hour })
      }))

    it("concurrent claims never return the same mail", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const wanted = yield* Effect.forEach(Array.from({ length: 40 }), () => queued())
        const taken = yield* Effect.forEach(Array.from({ length: 10 }), () => store.claim(start, start + hour, 7), {
          concurrency: "unbounded"
        })
        const ids = taken.flat().map(({ id }) => id)
        assert.deepStrictEqual(ids.toSorted(), wanted.map(({ id }) => id).toSorted())
      }))

    it("a mail that waits for a retry is due at the retry time", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        yield* queued()
        for (const claimed of yield* claimAll(start)) {
          yield* store.settle(claimed, { state: "waiting", until: start + hour, reason: "451 busy" }, start)
        }
        assert.deepStrictEqual(yield* store.nextDue, Option.some(start + hour))
        assert.deepStrictEqual(yield* claimAll(start + hour - 1), [])
        const [again] = yield* claimAll(start + hour)
        assert.strictEqual(again?.attempts, 2)
        assert.deepStrictEqual(yield* store.failed(10), [])
      }))

    it("sent and obsolete mails are never claimed again", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        for (const state of ["sent", "obsolete"] as const) {
          yield* queued()
          for (const claimed of yield* claimAll(start)) yield* store.settle(claimed, { state }, start)
          assert.isTrue(Option.isNone(yield* store.nextDue))
        }
        assert.deepStrictEqual(yield* store.failed(10), [])
      }))

    it("failed mails are listed newest first with their reasons", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        for (const at of [start, start + second, start + 2 * second]) {
          yield* queued({ createdAt: at })
          for (const claimed of yield* claimAll(at)) {
            yield* store.settle(claimed, { state: "failed", reason: `550 at ${at}` }, at)
          }
        }
        assert.isTrue(Option.isNone(yield* store.nextDue))
        const failed = yield* store.failed(2)
        assert.deepStrictEqual(
          failed.map(({ at, mail, reason }) => [at, mail.createdAt, mail.attempts, reason]),
          [start + 2 * second, start + second].map((at) => [at, at, 1, `550 at ${at}`])
        )
      }))

    it("retryNow makes a mail that waits for a retry due now, leaves a claimed mail unchanged, and returns false for a settled mail", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const wanted = yield* queued()
        assert.isFalse(yield* store.retryNow(`${wanted.id}x`, start))
        const [claimed] = yield* claimAll(start)
        if (claimed === undefined) return assert.fail("nothing was taken")
        assert.isTrue(yield* store.retryNow(wanted.id, start))
        assert.deepStrictEqual(yield* claimAll(start), [], "it is being sent")
        yield* store.settle(claimed, { state: "waiting", until: start + hour, reason: "451" }, start)
        assert.isTrue(yield* store.retryNow(wanted.id, start + second))
        const [again] = yield* claimAll(start + second)
        assert.strictEqual(again?.attempts, 2)
        if (again !== undefined) yield* store.settle(again, { state: "sent" }, start + second)
        assert.isFalse(yield* store.retryNow(wanted.id, start + minute))
        yield* queued({ id: `${wanted.id}.again-1` })
        assert.isTrue(yield* store.retryNow(wanted.id, start + minute), "its repetition is on its way")
      }))

    it("with unclaimedOnly, retryNow returns false for a claimed mail", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const { id } = yield* queued()
        assert.isTrue(yield* store.retryNow(id, start, { unclaimedOnly: true }))
        assert.lengthOf(yield* claimAll(start), 1)
        assert.isFalse(yield* store.retryNow(id, start, { unclaimedOnly: true }))
        yield* queued({ id: `${id}.again-1` })
        assert.isTrue(yield* store.retryNow(id, start, { unclaimedOnly: true }))
      }))

    const givenUp = Effect.fnUntraced(function* (changes: Parameters<typeof makeMail>[0] = {}, at = start) {
      const store = yield* MailStore
      const wanted = yield* queued({ createdAt: at, ...changes })
      for (const claimed of yield* claimAll(at)) {
        yield* store.settle(claimed, { state: "failed", reason: "away" }, at)
      }
      return wanted
    })

    it("retryNow queues a failed mail again under its id, and resets its attempts", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const wanted = yield* givenUp({ kind: "request" })
        assert.isTrue(yield* store.retryNow(wanted.id, start + hour))
        assert.deepStrictEqual(yield* store.failed(10), [])
        assert.deepStrictEqual(yield* store.nextDue, Option.some(start + hour))
        const [again] = yield* claimAll(start + hour)
        assert.deepStrictEqual(again, { ...wanted, attempts: 1, ticket: 2, unanswered: 0, maybeSentAt: null })
      }))

    it("if a failed mail was already sent again under other ids, retryNow queues only one of these mails", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const { id } = yield* givenUp({ kind: "request" })
        yield* givenUp({ kind: "request", id: `${id}.again-1` }, start + second)
        yield* givenUp({ kind: "request", id: `${id}-other.again-1` }, start + 2 * second)
        assert.isTrue(yield* store.retryNow(id, start + minute))
        assert.isTrue(yield* store.retryNow(id, start + minute))
        const claimed = yield* claimAll(start + minute)
        assert.deepStrictEqual(
          claimed.map((again) => again.id),
          [`${id}.again-1`]
        )
      }))

    it("requeueFailed queues the mails that failed in a period again, in batches, except mails with inbox links", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const moments = [0, 1, 2, 3, 4].map((index) => start + index * second)
        const ids = []
        for (const at of moments) ids.push((yield* givenUp({ kind: "request" }, at)).id)
        yield* givenUp({ kind: "desk" }, start + 2 * second)
        const revive = (limit: number) => store.requeueFailed(start + second, start + 4 * second, start + hour, limit)
        assert.deepStrictEqual([yield* revive(2), yield* revive(2), yield* revive(2)], [2, 1, 0])
        const claimed = yield* claimAll(start + hour)
        assert.deepStrictEqual(claimed.map(({ id }) => id).toSorted(), ids.slice(1, 4).toSorted())
        assert.strictEqual((yield* store.failed(10)).length, 3)
      }))

    it("the assignments of an organization whose mails failed in a period are counted, and the first of them are returned", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const owner = makeOrganizationId()
        const shares = Array.from({ length: 5 }, makeShareId)
        for (const [index, share] of shares.entries()) {
          yield* givenUp({ kind: "request", organizationId: owner, shareId: share }, start + index * second)
        }
        yield* givenUp({ kind: "draft", organizationId: owner, shareId: shares[1] ?? null }, start + 3 * second)
        yield* givenUp(
          { kind: "request", organizationId: makeOrganizationId(), shareId: makeShareId() },
          start + 2 * second
        )
        yield* givenUp({ kind: "undeliverable", organizationId: owner }, start + 2 * second)
        const time = { from: start + second, to: start + 4 * second }
        assert.deepStrictEqual(yield* store.undelivered(owner, time, 2), { shareIds: shares.slice(1, 3), total: 3 })
        const none = { from: start + hour, to: start + 2 * hour }
        assert.deepStrictEqual(yield* store.undelivered(owner, none, 2), { shareIds: [], total: 0 })
      }))

    it("an erased address is removed from all mails, and the comparison ignores case in every script", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const spellings = ["Élodie@Creators.example", "élodie@creators.example"]
        for (const address of [...spellings, "elodie@creators.example"])
          yield* queued({ kind: "desk", shareId: null, address, createdAt: start + hour })
        yield* store.forget("ÉLODIE@creators.EXAMPLE")
        const claimed = yield* claimAll(start + hour)
        assert.deepStrictEqual(
          claimed.map(({ address }) => address),
          [null, null, "elodie@creators.example"]
        )
      }))

    it("forgetReasons clears the reasons of one assignment's mails, and of no other assignment's mails", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const [erased, other] = [makeShareId(), makeShareId()]
        for (const shareId of [erased, other])
          yield* givenUp({ kind: "request", id: `${shareId}.request`, shareId, address: null })
        yield* store.forgetReasons(erased)
        assert.deepStrictEqual(
          (yield* store.failed(10)).map(({ mail, reason }) => [mail.shareId, reason]),
          [
            [other, "away"],
            [erased, ""]
          ]
        )
      }))

    it("a result with an outdated ticket changes no mail", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        yield* queued()
        const [first] = yield* claimAll(start)
        const [second] = yield* claimAll(start + hour)
        if (first === undefined || second === undefined) return assert.fail("nothing was taken")
        assert.isFalse(yield* store.settle(first, { state: "failed", reason: "too late" }, start + hour))
        assert.deepStrictEqual(yield* store.failed(10), [])
        assert.isTrue(yield* store.settle(second, { state: "sent" }, start + hour))
        assert.isFalse(yield* store.settle(second, { state: "waiting", until: start, reason: "twice" }, start + hour))
        assert.isTrue(Option.isNone(yield* store.nextDue))
      }))

    it("if several mails are settled as sent at the same time, each mail is settled except a mail with an outdated ticket", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        for (let count = 0; count < 4; count++) yield* queued()
        const claimed = yield* claimAll(start)
        const [again] = yield* store.claim(start + hour, start + day, 1)
        const settled = yield* Effect.forEach(claimed, (sent) => store.settle(sent, { state: "sent" }, start), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(
          settled,
          claimed.map(({ id }) => id !== again?.id)
        )
        if (again !== undefined) assert.isTrue(yield* store.settle(again, { state: "sent" }, start))
      }))

    it("a released mail is due immediately and its attempt does not count, and an outdated ticket releases nothing", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        yield* queued()
        const [refused] = yield* claimAll(start)
        if (refused === undefined) return assert.fail("nothing was taken")
        yield* store.settle(refused, { state: "waiting", until: start + second, reason: "451 busy" }, start)
        for (const moment of [start + second, start + minute]) {
          const [broken] = yield* claimAll(moment)
          if (broken === undefined) return assert.fail("nothing was taken")
          assert.deepInclude(broken, { attempts: 2, maybeSentAt: null })
          assert.isTrue(yield* store.settle(broken, { state: "released" }, moment))
          assert.deepStrictEqual(yield* store.nextDue, Option.some(moment))
        }
        const [lost] = yield* claimAll(start + minute)
        const [present] = yield* claimAll(start + hour)
        if (lost === undefined) return assert.fail("nothing was taken")
        assert.isFalse(yield* store.settle(lost, { state: "released" }, start + hour))
        assert.deepStrictEqual([lost.attempts, present?.attempts], [2, 2], "a claim that was lost is no attempt")
      }))
  })
}
