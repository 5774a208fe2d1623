/**
 * Tests a mail outage of several days. Requests stay open, and a response window starts when the mail server accepts
 * the mail.
 */
import { assert, it } from "@effect/vitest"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { ShareId } from "@partner-commentary/core/shared/Ids"
import * as InMemory from "@partner-commentary/test/InMemory"
import { extractCreatorToken, Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"

const submitted = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
  const { call } = yield* TestApi
  const mailbox = yield* Mailbox
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  const body = {
    content: "Who takes the title this season?",
    persona_ids: [persona.id],
    external_reference: "title"
  }
  const { topic_id: id } = (yield* readJson(yield* call("/partner/v1/topics", { method: "POST", key, body }))).data
  const { commentaries } = (yield* readJson(yield* call("/partner/v1/topics/by-reference/title", { key }))).data
  const status = Effect.map(
    Effect.flatMap(call(`/partner/v1/topics/${id}/status`, { key }), readJson),
    ({ data }) => data.personas[0].status as string
  )
  return {
    shareId: ShareId.make(commentaries[0].share_id),
    status,
    mail: (count: number) =>
      eventually(
        `mail ${count}`,
        Effect.map(mailbox.to(persona.creator.email), (mails) => mails[count - 1])
      ),
    has: (want: string) =>
      eventually(
        `status ${want}`,
        Effect.map(status, (seen) => seen === want)
      )
  }
})

const at = (moment: string) => TestClock.setTime(Date.parse(moment))

/** Simulates a mail server that is unavailable for a day, so that the worker marks the mail as failed. */
const outage = Effect.gen(function* () {
  for (const minutes of [1, 5, 15, 60, ...Array.from({ length: 11 }, () => 120)]) {
    yield* waitUntilMailsProcessed
    yield* TestClock.adjust(`${minutes} minutes`)
  }
  yield* waitUntilMailsProcessed
})

const away = Array.from({ length: 16 }, () => ({ permanent: false }))

it.effect(
  "a request stays open for three days without a mail server, and its full response window starts when its mail is sent",
  () =>
    Effect.gen(function* () {
      yield* (yield* Mailbox).refuseNext(...away)
      const story = yield* submitted
      yield* outage
      yield* at("2026-03-04T09:00:00.000Z")
      assert.strictEqual(yield* story.status, "topic_sent")

      yield* (yield* CreatorAdministration).resendMail(story.shareId)
      const request = yield* story.mail(1)
      assert.include(request.text, "Answer by: Friday 6 March 2026, 09:00 UTC")
      yield* waitUntilMailsProcessed
      yield* at("2026-03-05T09:00:00.000Z")
      const reminder = yield* story.mail(2)
      assert.include(reminder.text, "Answer by: Friday 6 March 2026, 09:00 UTC")
      yield* at("2026-03-06T08:59:59.999Z")
      assert.strictEqual(yield* story.status, "topic_sent")
      yield* at("2026-03-06T09:00:00.000Z")
      yield* story.has("expired")
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a request whose mail is never resent closes seven days after its submission", () =>
  Effect.gen(function* () {
    yield* (yield* Mailbox).refuseNext(...away)
    const story = yield* submitted
    yield* outage
    yield* at("2026-03-08T08:59:59.999Z")
    assert.strictEqual(yield* story.status, "topic_sent")
    yield* at("2026-03-08T09:00:00.000Z")
    yield* story.has("expired")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "after days without a worker, the next worker mails the waiting requests and gives them their full response window",
  () =>
    Effect.gen(function* () {
      const story = yield* submitted
      yield* at("2026-03-05T09:00:00.000Z")
      yield* Layer.build(TestApi.workers)
      assert.include((yield* story.mail(1)).text, "Answer by: Saturday 7 March 2026, 09:00 UTC")
      yield* waitUntilMailsProcessed
      assert.strictEqual(yield* story.status, "topic_sent")
    }).pipe(Effect.scoped, Effect.provide(InMemory.layerWithoutWorkers()))
)

it.effect(
  "if a resent mail is permanently refused after days, the request stays open until a day after the resend",
  () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      yield* mailbox.refuseNext(...away)
      const story = yield* submitted
      yield* outage
      yield* at("2026-03-05T09:00:00.000Z")
      yield* waitUntilMailsProcessed
      yield* mailbox.refuseNext({ permanent: true })
      yield* (yield* CreatorAdministration).resendMail(story.shareId)
      yield* waitUntilMailsProcessed
      yield* at("2026-03-06T08:59:59.999Z")
      assert.strictEqual(yield* story.status, "topic_sent")
      yield* at("2026-03-06T09:00:00.000Z")
      yield* story.has("expired")
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a contact gets one mail about all undelivered requests of an hour, and no mail about other organizations' requests",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-01T09:20:00.000Z"))
      const { call } = yield* TestApi
      const mailbox = yield* Mailbox
      yield* mailbox.refuseNext(...Array.from({ length: 41 }, () => ({ permanent: true })))
      const contacts: Array<string> = []
      for (const count of [40, 1]) {
        const contactEmail = `desk-${count}@partner.example`
        const owner = yield* Seed.createOrganization({ contactEmail })
        const persona = yield* Seed.createPersona(owner)
        const { text: key } = yield* Seed.issueApiKey(owner)
        const topics = Array.from({ length: count }, (_, index) => ({
          content: `Who is number ${index} of the ${count}?`,
          persona_ids: [persona.id]
        }))
        yield* call("/partner/v1/topics/bulk", { method: "POST", key, body: { topics } })
        contacts.push(contactEmail)
        yield* waitUntilMailsProcessed
        yield* TestClock.adjust("15 minutes")
      }
      assert.lengthOf((yield* Effect.forEach(contacts, mailbox.to)).flat(), 0, "the hour is not over")
      yield* TestClock.adjust("11 minutes")
      yield* waitUntilMailsProcessed
      const sent = yield* Effect.forEach(contacts, mailbox.to)
      assert.deepStrictEqual(
        sent.map((mails) => mails.map(({ subject }) => subject.slice(0, 40))),
        [["Mails about 40 of your requests did not "], ["Your request did not reach Ada Vance".slice(0, 40)]]
      )
      assert.include(sent[0]?.[0]?.text, "Further requests: 30")
      yield* TestClock.adjust("1 day")
      yield* waitUntilMailsProcessed
      assert.lengthOf((yield* Effect.forEach(contacts, mailbox.to)).flat(), 2)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a draft's mail is not sent if the draft is replaced while the mail server is unavailable", () =>
  Effect.gen(function* () {
    const mailbox = yield* Mailbox
    const { call } = yield* TestApi
    const story = yield* submitted
    const { text, to } = yield* story.mail(1)
    const path = `/creator/${extractCreatorToken({ text })}`
    const form = (action: string, fields: Record<string, string>) =>
      call(`${path}/${action}`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString()
      })
    const draft = Effect.map(
      Effect.flatMap(call(path, { headers: { accept: "application/json" } }), readJson),
      ({ data }) => data.draft as { readonly id: string; readonly number: number } | null
    )
    const draftNumbered = (number: number) =>
      eventually(
        `draft ${number}`,
        Effect.map(draft, (seen) => (seen?.number === number ? seen : undefined))
      )
    yield* waitUntilMailsProcessed
    yield* mailbox.refuseNext({ permanent: false })
    yield* form("respond", { perspective: "They will, but only just." })
    const first = yield* draftNumbered(1)
    yield* waitUntilMailsProcessed
    yield* form("revise", { draft_id: first.id, instructions: "Shorter." })
    yield* draftNumbered(2)
    yield* story.mail(2)
    yield* TestClock.adjust("1 hour")
    yield* waitUntilMailsProcessed
    const mails = yield* mailbox.to(to.address)
    assert.lengthOf(mails, 2)
  }).pipe(Effect.provide(InMemory.layer))
)
