/**
 * Tests the limits on the mails that a caller can cause: a partner causes mails to the organization's contact, and a
 * creator causes mails to the creator's own address.
 */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
  makeDeliveriesApiReader,
  registerWebhook,
  seedDecliningPartner,
  waitForEvents
} from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"
import { actAsCreator, findCreatorToken, submitTopic } from "../support/Requests.ts"
import {
  createWebhook,
  exampleWebhookEvents,
  exampleWebhookUrl,
  patchWebhook,
  removeWebhook,
  retryDelivery
} from "../support/WebhookCalls.ts"

const removeZeroWidthSpaces = (text: string) => text.replaceAll("\u200b", "")

const start = Date.parse("2026-03-01T09:00:00.000Z")

/** Waits until no mail is being sent. If the clock jumped past a mail's lease, the worker would send the mail again. */
const settled = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  eventually(
    "no mail under way",
    Effect.map(
      sql`SELECT id FROM mails WHERE state = 'waiting' AND was_due_at IS NOT NULL`,
      ({ length }) => length === 0
    )
  )
)

/** Creates a partner at the start of a five-minute window. `mailed` waits for the mails to the partner's contact. */
const partner = Effect.gen(function* () {
  if ((yield* Clock.currentTimeMillis) === 0) yield* TestClock.setTime(start)
  const owner = yield* Seed.createOrganization()
  const { text: key } = yield* Seed.issueApiKey(owner)
  const mailed = (count: number) =>
    eventually(
      `${count} mails`,
      Effect.flatMap(Mailbox, (mailbox) =>
        Effect.map(mailbox.to(owner.contactEmail ?? ""), (sent) => (sent.length === count ? sent : undefined))
      )
    )
  return { owner, key, mailed }
})

it.effect(
  "80 changes of a webhook cause two mails, and the second mail contains the last address and the intermediate addresses",
  () =>
    Effect.gen(function* () {
      const { key, mailed } = yield* partner
      const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
      yield* mailed(1)
      for (let count = 1; count <= 80; count++) {
        assert.strictEqual((yield* patchWebhook(key, id, { url: `https://host${count}.example/` })).status, 200)
      }
      yield* settled
      yield* TestClock.adjust("5 minutes")
      yield* settled
      yield* TestClock.adjust("1 hour")
      const [, changed] = yield* mailed(2)
      assert.include(removeZeroWidthSpaces(changed?.subject ?? ""), "A webhook was changed")
      assert.include(
        removeZeroWidthSpaces(changed?.text ?? ""),
        "Sent to before: example.com\nSent to now: host80.example"
      )
      assert.match(removeZeroWidthSpaces(changed?.text ?? ""), /In between: .*host79\.example/)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "many webhooks that are added and removed within five minutes cause two mails, and the second mail names the remaining webhooks",
  () =>
    Effect.gen(function* () {
      const { key, mailed } = yield* partner
      yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })
      yield* mailed(1)
      const { id: stays } = (yield* createWebhook(key, { url: "https://evil.example/", events: exampleWebhookEvents }))
        .body.data
      for (let count = 1; count <= 30; count++) {
        const { id } = (yield* createWebhook(key, {
          url: `https://host${count}.example/`,
          events: exampleWebhookEvents
        })).body.data
        assert.strictEqual((yield* removeWebhook(key, id)).status, 200)
      }
      yield* settled
      yield* TestClock.adjust("5 minutes")
      yield* settled
      yield* TestClock.adjust("1 hour")
      const [, told] = yield* mailed(2)
      assert.include(told?.subject, "31 notices")
      assert.include(removeZeroWidthSpaces(told?.text ?? ""), `Added: evil.example; webhook ${stays}`)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a webhook that 410 responses disable repeatedly causes one mail in five minutes", () =>
  Effect.gen(function* () {
    const { declined, key, owner } = yield* seedDecliningPartner
    const mailbox = yield* Mailbox
    yield* (yield* InMemoryWebhookReceivers).answer(() => Effect.succeed({ status: 410 }))
    const hook = yield* registerWebhook(key, ["commentary.failed"])
    const list = makeDeliveriesApiReader(key, hook.id).list
    yield* declined("Who wins the first match this season?")
    for (let count = 1; count <= 10; count++) {
      yield* waitForEvents(count)
      yield* eventually(
        `attempt ${count}`,
        Effect.map(list(), ([only]) => (only.attempt_count === count ? true : undefined))
      )
      if (count === 10) break
      yield* TestClock.adjust("1 second")
      yield* patchWebhook(key, hook.id, { status: "active" })
      yield* retryDelivery(key, hook.id, (yield* list())[0].id)
    }
    yield* settled
    yield* TestClock.adjust("5 minutes")
    yield* settled
    yield* TestClock.adjust("1 hour")
    const sent = yield* mailbox.to(owner.contactEmail ?? "")
    assert.isAtMost(sent.length, 2)
    assert.include(sent.at(-1)?.text, "410")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a creator with many requests gets one inbox link in five minutes, even if several pages request the link",
  () =>
    Effect.gen(function* () {
      const { key, owner, persona } = yield* seedDecliningPartner
      const mailbox = yield* Mailbox
      assert.isDefined(owner)
      const tokens: Array<string> = []
      for (let count = 1; count <= 5; count++) {
        const content = `Who is number ${count} this season?`
        yield* submitTopic(key, content, [persona])
        tokens.push(yield* findCreatorToken(persona, content))
      }
      const before = (yield* mailbox.all).length
      for (const token of tokens) {
        const { status } = yield* (yield* TestApi).call(`/creator/${token}/desk`, { method: "POST" })
        assert.isBelow(status, 400)
      }
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* mailbox.all).length - before, 1)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a creator who restarts a failing draft 20 times gets at most one mail an hour about the failures", () =>
  Effect.gen(function* () {
    const { key, owner, persona } = yield* seedDecliningPartner
    assert.isDefined(owner)
    const mailbox = yield* Mailbox
    const generator = yield* ScriptedGenerator
    const content = "Who wins the cup this season?"
    yield* submitTopic(key, content, [persona])
    const token = yield* findCreatorToken(persona, content)
    yield* generator.failNext(...Array.from({ length: 21 }, () => ({ permanent: true })))
    const stalled = Effect.map(mailbox.to(persona.creator.email), (mails) =>
      mails.filter(({ id }) => id.includes(".stalled-"))
    )
    const failed = (count: number) =>
      eventually(
        `failure ${count}`,
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          Effect.map(
            sql`SELECT id FROM assignments WHERE generation_claim_number = ${count} AND generation_next_at IS NULL`,
            ({ length }) => length === 1
          )
        )
      )
    yield* actAsCreator(token, "respond", { perspective: "The keeper decides it." })
    yield* failed(1)
    yield* waitUntilMailsProcessed
    assert.lengthOf(yield* stalled, 1, "the first one at once")
    for (let count = 2; count <= 21; count++) {
      yield* TestClock.adjust("1 second")
      yield* actAsCreator(token, "revise")
      yield* failed(count)
    }
    yield* waitUntilMailsProcessed
    assert.lengthOf(yield* stalled, 1, "the hour is not over")
    yield* TestClock.adjust("1 hour")
    yield* waitUntilMailsProcessed
    const [, second] = yield* stalled
    assert.lengthOf(yield* stalled, 2)
    assert.include(second?.id, ".stalled-21", "it tells the last failure")
    yield* TestClock.adjust("5 hours")
    yield* waitUntilMailsProcessed
    assert.lengthOf(yield* stalled, 2)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a draft that fails twice and then succeeds within an hour causes only one mail about the failures", () =>
  Effect.gen(function* () {
    const { key, persona } = yield* seedDecliningPartner
    const mailbox = yield* Mailbox
    const generator = yield* ScriptedGenerator
    const content = "Who wins the cup this season?"
    yield* submitTopic(key, content, [persona])
    const token = yield* findCreatorToken(persona, content)
    yield* generator.failNext({ permanent: true }, { permanent: true })
    const kinds = Effect.map(mailbox.to(persona.creator.email), (mails) => mails.map(({ id }) => id.split(".").at(-1)))
    const mailed = (count: number) =>
      eventually(
        `${count} mails`,
        Effect.map(kinds, ({ length }) => length === count)
      )
    yield* actAsCreator(token, "respond", { perspective: "The keeper decides it." })
    yield* mailed(2)
    yield* actAsCreator(token, "revise")
    yield* eventually(
      "a second failure",
      Effect.map(generator.requests, ({ length }) => length === 2)
    )
    yield* waitUntilMailsProcessed
    yield* actAsCreator(token, "revise")
    yield* mailed(3)
    yield* waitUntilMailsProcessed
    yield* TestClock.adjust("1 hour")
    yield* waitUntilMailsProcessed
    assert.deepStrictEqual(yield* kinds, ["request", "stalled-1", "draft-1"])
  }).pipe(Effect.provide(InMemory.layer))
)
