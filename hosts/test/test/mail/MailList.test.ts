/** Tests the operator's list of waiting and failed mails, and the command that resends failed mails. */
import { assert, it } from "@effect/vitest"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import * as MailInspection from "@partner-commentary/sql/mail/MailInspection"
import * as InMemory from "@partner-commentary/test/InMemory"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"

const start = Date.parse("2026-03-01T09:20:00.000Z")

const submitted = Effect.fnUntraced(function* (count: number) {
  const { call } = yield* TestApi
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  const topics = Array.from({ length: count }, (_, index) => ({
    content: `Who is number ${index} of the ${count}?`,
    persona_ids: [persona.id]
  }))
  yield* call("/partner/v1/topics/bulk", { method: "POST", key, body: { topics } })
  yield* waitUntilMailsProcessed
  return { owner, email: persona.creator.email }
})

const pages = Effect.fnUntraced(function* (
  state: "waiting" | "failed",
  organizationId?: MailInspection.ListedMail["organizationId"]
) {
  const all: Array<MailInspection.ListedMail> = []
  let after: MailInspection.MailListPosition | null = null
  do {
    const query = {
      state,
      organizationId: Option.fromNullishOr(organizationId),
      after: Option.fromNullOr(after),
      limit: 3
    }
    const page: Effect.Success<ReturnType<typeof MailInspection.listMails>> = yield* MailInspection.listMails(query)
    assert.isAtMost(page.mails.length, 3)
    all.push(...page.mails)
    after = page.next
  } while (after !== null)
  return all
})

it.effect(
  "the pages of the mail list show each waiting or failed mail once, and can be limited to one organization",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const mailbox = yield* Mailbox
      yield* mailbox.refuseNext(...Array.from({ length: 7 }, () => ({ permanent: true })))
      const first = yield* submitted(7)
      yield* TestClock.adjust("1 minute")
      yield* mailbox.refuseNext({ permanent: true }, ...Array.from({ length: 4 }, () => ({ permanent: false })))
      const second = yield* submitted(5)
      const failed = yield* pages("failed")
      assert.lengthOf(failed, 8)
      assert.lengthOf(new Set(failed.map(({ id }) => id)), 8)
      assert.deepInclude(failed[0], {
        kind: "request",
        organizationId: second.owner.id,
        to: second.email,
        state: "failed",
        attempts: 1,
        dueAt: null,
        settledAt: start + 60_000,
        reason: "refused as told"
      })
      assert.lengthOf(yield* pages("failed", first.owner.id), 7)
      const waiting = yield* pages("waiting", second.owner.id)
      assert.deepStrictEqual(
        waiting.map(({ dueAt, kind }) => [kind, (dueAt ?? 0) - start]),
        [...Array.from({ length: 4 }, () => ["request", 120_000]), ["undeliverable", 41 * 60_000]]
      )
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "mails that failed since a given time are resent once, even if the operator runs the command several times",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const mailbox = yield* Mailbox
      const creators = yield* CreatorAdministration
      yield* mailbox.refuseNext(...Array.from({ length: 12 }, () => ({ permanent: true })))
      const early = yield* submitted(5)
      yield* TestClock.adjust("1 minute")
      const late = yield* submitted(7)
      yield* TestClock.adjust("1 minute")
      const counts = yield* Effect.all([creators.resendFailed(start + 60_000), creators.resendFailed(start + 60_000)], {
        concurrency: "unbounded"
      })
      assert.strictEqual(counts[0] + counts[1], 7)
      yield* waitUntilMailsProcessed
      assert.lengthOf(yield* mailbox.to(late.email), 7)
      assert.strictEqual(yield* creators.resendFailed(start + 60_000), 0)
      assert.strictEqual(yield* creators.resendFailed(start), 5)
      yield* waitUntilMailsProcessed
      assert.lengthOf(yield* mailbox.to(early.email), early.email === late.email ? 12 : 5)
      assert.lengthOf(yield* pages("failed"), 0)
    }).pipe(Effect.provide(InMemory.layer))
)
