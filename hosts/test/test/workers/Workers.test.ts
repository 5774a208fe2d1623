/** Tests background work on a test clock: mails, reminders, attempts and deadlines. */

import { createHash } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { makeAssignmentMailId, resendIdSeparator } from "@partner-commentary/core/mail/Mail"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { ShareId } from "@partner-commentary/core/shared/Ids"
import * as InMemory from "@partner-commentary/test/InMemory"
import { extractCreatorToken, Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"

const start = Date.parse("2026-03-01T09:00:00.000Z")
const perspective = "They will win it, and by some distance."
const failures = (count: number, permanent = false) => Array.from({ length: count }, () => ({ permanent }))

/** Submits a topic with one persona. Returns the partner's view, and the creator's view and actions. */
const submitted = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { call } = yield* TestApi
  const mailbox = yield* Mailbox
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  const created = yield* readJson(
    yield* call("/partner/v1/topics", {
      method: "POST",
      key,
      body: { content: "Who takes the title this season?", persona_ids: [persona.id], external_reference: "title" }
    })
  )
  const id = created.data.topic_id
  const address = persona.creator.email
  const status = Effect.map(Effect.flatMap(call(`/partner/v1/topics/${id}/status`, { key }), readJson), ({ data }) => ({
    ...data.personas[0],
    overall: data.overall_status
  }))
  const subjects = Effect.map(mailbox.to(address), (mails) => mails.map(({ id }) => id.replace(/^[^.]*\./, "")))
  const mail = (count: number) =>
    eventually(
      `mail ${count}`,
      Effect.map(mailbox.to(address), (mails) => mails[count - 1])
    )
  const has = (want: string) =>
    eventually(
      `status ${want}`,
      Effect.map(status, (seen) => (seen.status === want || seen.failure?.reason === want ? seen : undefined))
    )
  const act = (token: string, action: string, body: unknown = {}) =>
    Effect.flatMap(
      call(`/creator/${token}/${action}`, { method: "POST", headers: { accept: "application/json" }, body }),
      readJson
    )
  const at = (moment: string) => TestClock.setTime(Date.parse(moment))
  const shareId = Effect.map(
    Effect.flatMap(call("/partner/v1/topics/by-reference/title", { key }), readJson),
    ({ data }) => ShareId.make(data.commentaries[0].share_id)
  )
  return {
    call,
    mailbox,
    persona,
    key,
    id,
    status,
    subjects,
    mail,
    has,
    act,
    at,
    shareId,
    organizationId: owner.id,
    contact: owner.contactEmail ?? ""
  }
})

it.effect(
  "the generation of a draft is tried after 0, 1 min, 10 min, 1 h and 6 h, and then a mail to the creator offers a restart",
  () =>
    Effect.gen(function* () {
      const story = yield* submitted
      const generator = yield* ScriptedGenerator
      yield* generator.failNext(...failures(5))
      const token = extractCreatorToken(yield* story.mail(1))
      yield* story.act(token, "respond", { perspective })
      const tried = (count: number) =>
        eventually(
          `attempt ${count}`,
          Effect.map(generator.requests, (requests) => (requests.length >= count ? requests.length : undefined))
        )
      let count = 1
      assert.strictEqual(yield* tried(count), 1)
      for (const delay of ["1 minute", "10 minutes", "1 hour", "6 hours"] as const) {
        yield* TestClock.adjust(`${Number(delay.split(" ")[0]) * (delay.includes("hour") ? 3600 : 60) - 1} seconds`)
        yield* story.status
        assert.strictEqual((yield* generator.requests).length, count, `not before ${delay}`)
        yield* TestClock.adjust("1 second")
        count++
        assert.strictEqual(yield* tried(count), count)
      }
      const stalled = yield* story.mail(2)
      assert.deepStrictEqual(yield* story.subjects, ["request", stalled.id.replace(/^[^.]*\./, "")])
      assert.deepInclude(yield* story.status, { status: "opinion_injected", failure: null, overall: "in_progress" })

      const again = yield* story.act(extractCreatorToken(stalled), "revise")
      assert.strictEqual(again.data.status, "opinion_injected")
      const draft = yield* story.has("commentary_generated")
      assert.isNull(draft.failure)
      assert.strictEqual((yield* generator.requests).length, 6)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "after a permanent failure of the generator there are no retries, and the assignment fails 24 hours later",
  () =>
    Effect.gen(function* () {
      const story = yield* submitted
      const generator = yield* ScriptedGenerator
      yield* generator.failNext(...failures(1, true))
      yield* story.act(extractCreatorToken(yield* story.mail(1)), "respond", { perspective })
      yield* story.mail(2)
      yield* TestClock.adjust("23 hours")
      assert.deepInclude(yield* story.status, { status: "opinion_injected", failure: null })
      yield* TestClock.adjust("1 hour")
      const failed = yield* story.has("generation_failed")
      assert.deepInclude(failed, { status: "opinion_injected", overall: "completed" })
      assert.deepStrictEqual(failed.failure, { reason: "generation_failed", at: "2026-03-02T09:00:00.000Z" })
      assert.strictEqual((yield* generator.requests).length, 1)
      const refused = yield* story.act(extractCreatorToken(yield* story.mail(2)), "revise")
      assert.strictEqual(refused.error.details.field, "action")
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the operator can restart a generation after all its attempts failed", () =>
  Effect.gen(function* () {
    const story = yield* submitted
    yield* (yield* ScriptedGenerator).failNext(...failures(1, true))
    yield* story.act(extractCreatorToken(yield* story.mail(1)), "respond", { perspective })
    yield* story.mail(2)
    yield* (yield* CreatorAdministration).retryGeneration(yield* story.shareId)
    yield* story.has("commentary_generated")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "the operator can immediately start a waiting draft attempt, and can immediately send a waiting mail, which is sent only once",
  () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      yield* mailbox.refuseNext(...failures(1))
      const story = yield* submitted
      const creators = yield* CreatorAdministration
      yield* waitUntilMailsProcessed
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* story.subjects, [])
      yield* creators.resendMail(yield* story.shareId)
      const token = extractCreatorToken(yield* story.mail(1))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* story.subjects, ["request"])

      const generator = yield* ScriptedGenerator
      yield* generator.failNext(...failures(1))
      yield* story.act(token, "respond", { perspective })
      yield* eventually(
        "an attempt",
        Effect.map(generator.requests, (requests) => requests.length === 1)
      )
      yield* eventually(
        "the operator's word counts",
        Effect.map(Effect.option(creators.retryGeneration(yield* story.shareId)), (done) => done._tag === "Some")
      )
      yield* story.has("commentary_generated")
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a draft that the creator does not approve causes reminders after half and nine tenths of a week, and then expires",
  () =>
    Effect.gen(function* () {
      const story = yield* submitted
      yield* story.act(extractCreatorToken(yield* story.mail(1)), "respond", { perspective })
      yield* story.mail(2)
      yield* story.at("2026-03-04T21:00:00.000Z")
      yield* story.mail(3)
      yield* story.at("2026-03-07T16:12:00.000Z")
      const last = yield* story.mail(4)
      assert.deepStrictEqual(yield* story.subjects, [
        "request",
        "draft-1",
        "approval_reminder-1",
        "approval_last_call-1"
      ])
      yield* story.at("2026-03-08T08:59:59.999Z")
      assert.isNull((yield* story.status).failure)
      yield* story.at("2026-03-08T09:00:00.000Z")
      const failed = yield* story.has("approval_timeout")
      assert.deepInclude(failed, { status: "commentary_generated", overall: "completed", has_commentary: false })
      const late = yield* story.act(extractCreatorToken(last), "approve")
      assert.strictEqual(late.error.code, "invalid_request")
      assert.strictEqual((yield* story.subjects).length, 4)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("another draft starts a full approval window, and the previous draft can no longer be approved", () =>
  Effect.gen(function* () {
    const story = yield* submitted
    yield* story.act(extractCreatorToken(yield* story.mail(1)), "respond", { perspective })
    const token = extractCreatorToken(yield* story.mail(2))
    const first = (yield* readJson(yield* story.call(`/creator/${token}`, { headers: { accept: "application/json" } })))
      .data.draft
    yield* story.at("2026-03-06T09:00:00.000Z")
    yield* story.act(token, "revise", { draft_id: first.id, instructions: "Shorter, please" })
    yield* eventually(
      "the second draft",
      Effect.map(story.subjects, (sent) => sent.includes("draft-2"))
    )
    const stale = yield* story.act(token, "approve", { draft_id: first.id })
    assert.strictEqual(stale.error.details.field, "draft_id")
    const twin = (yield* readJson(yield* story.call(`/creator/${token}`, { headers: { accept: "application/json" } })))
      .data
    assert.include(twin.draft.content, "Shorter, please")
    assert.strictEqual(twin.expires_at, "2026-03-13T09:00:00.000Z")
    const approved = yield* story.act(token, "approve", { draft_id: twin.draft.id })
    assert.strictEqual(approved.data.status, "creator_approved")
    const repeated = yield* story.act(token, "approve", { draft_id: twin.draft.id })
    assert.deepStrictEqual(repeated, approved)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the response window starts when the mail server accepts the mail", () =>
  Effect.gen(function* () {
    const mailbox = yield* Mailbox
    // The retries after the five refusals take 1 + 5 + 15 + 60 + 120 minutes.
    yield* mailbox.refuseNext(...failures(5))
    const story = yield* submitted
    for (const minutes of [1, 5, 15, 60, 120]) {
      yield* waitUntilMailsProcessed
      assert.deepStrictEqual(yield* story.subjects, [])
      yield* TestClock.adjust(`${minutes} minutes`)
    }
    const mail = yield* story.mail(1)
    assert.include(mail.text, "3 March 2026")
    yield* story.at("2026-03-03T12:20:59.999Z")
    assert.strictEqual((yield* story.status).status, "topic_sent")
    yield* story.at("2026-03-03T12:21:00.000Z")
    yield* story.has("expired")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "the organization's contact gets one notice about a permanently refused mail, without the creator's address",
  () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      yield* mailbox.refuseNext(...failures(1, true))
      const story = yield* submitted
      yield* waitUntilMailsProcessed
      assert.lengthOf(yield* mailbox.to(story.contact), 0, "what else fails in this hour is told with it")
      yield* TestClock.adjust("61 minutes")
      const [told] = yield* eventually(
        "the contact's mail",
        Effect.map(mailbox.to(story.contact), (mails) => (mails.length > 0 ? mails : undefined))
      )
      assert.notInclude(`${told?.text}${told?.html}${told?.subject}`, story.persona.creator.email)
      assert.include(told?.text, story.persona.name)
      yield* story.at("2026-03-04T08:59:59.000Z")
      assert.strictEqual((yield* story.status).status, "topic_sent")
      yield* story.at("2026-03-04T09:00:00.000Z")
      yield* story.has("expired")
      assert.strictEqual((yield* mailbox.to(story.contact)).length, 1)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a creator whose address changes gets a new link at the new address, and the old link stops working", () =>
  Effect.gen(function* () {
    const story = yield* submitted
    const mailbox = yield* Mailbox
    const old = extractCreatorToken(yield* story.mail(1))
    yield* (yield* CreatorAdministration).changeEmail(story.persona.creator.email.toUpperCase(), "new@creators.example")
    const [moved] = yield* eventually(
      "the mail",
      Effect.map(mailbox.to("new@creators.example"), (mails) => (mails.length > 0 ? mails : undefined))
    )
    assert.strictEqual((yield* story.call(`/creator/${old}`)).status, 404)
    assert.strictEqual((yield* story.call(`/creator/${extractCreatorToken(moved ?? { text: "" })}`)).status, 200)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "if a creator's address changes while a mail is being sent, the creator gets another mail at the new address",
  () =>
    Effect.gen(function* () {
      const story = yield* submitted
      const mailbox = yield* Mailbox
      yield* story.mail(1)
      yield* waitUntilMailsProcessed
      const store = yield* MailStore
      const shareId = yield* story.shareId
      const request = makeAssignmentMailId(shareId, `request${resendIdSeparator}1`)
      yield* store.queue({
        id: request,
        kind: "request",
        shareId,
        organizationId: story.organizationId,
        address: null,
        createdAt: start
      })
      const [claimed] = yield* store.claim(start, start + 60_000, 1)
      assert.strictEqual(claimed?.id, request)
      yield* (yield* CreatorAdministration).changeEmail(story.persona.creator.email, "new@creators.example")
      yield* eventually(
        "the mail",
        Effect.map(mailbox.to("new@creators.example"), ([mail]) => mail)
      )
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("when a creator's address changes, the link of a request that ended long ago also stops working", () =>
  Effect.gen(function* () {
    const story = yield* submitted
    const token = extractCreatorToken(yield* story.mail(1))
    yield* story.act(token, "decline")
    assert.strictEqual((yield* story.call(`/creator/${token}`)).status, 200)
    yield* (yield* CreatorAdministration).changeEmail(story.persona.creator.email, "new@creators.example")
    assert.strictEqual((yield* story.call(`/creator/${token}`)).status, 404)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a creator can approve only a draft that the page has shown, and nothing before the first draft", () =>
  Effect.gen(function* () {
    const story = yield* submitted
    const sql = yield* SqlClient.SqlClient
    const token = extractCreatorToken(yield* story.mail(1))
    const early = yield* Effect.all(
      [
        story.act(token, "respond", { perspective }),
        ...Array.from({ length: 8 }, () => story.act(token, "approve", {}))
      ],
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      early.slice(1).map(({ error }) => error?.details.field),
      Array.from({ length: 8 }, () => "action")
    )
    yield* story.mail(2)
    const approved = yield* story.act(token, "approve", { content: "What I stand by." })
    assert.strictEqual(approved.data.status, "creator_approved")
    const [entry] = yield* sql<{ details: string }>`SELECT details FROM audit_log WHERE action = 'creator.approved'`
    const { by, sha256 } = JSON.parse(entry?.details ?? "{}")
    assert.strictEqual(sha256, createHash("sha256").update("What I stand by.").digest("hex"))
    assert.match(by, /^link of [0-9a-f]{16}$/)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "erasing a creator ends open assignments, keeps approved commentaries, and deletes all other data of the creator",
  () =>
    Effect.gen(function* () {
      const story = yield* submitted
      yield* story.act(extractCreatorToken(yield* story.mail(1)), "respond", { perspective })
      const token = extractCreatorToken(yield* story.mail(2))
      yield* story.act(token, "approve", { content: "What I stand by." })
      yield* story.call("/partner/v1/topics", {
        method: "POST",
        key: story.key,
        body: { content: "And who goes down this season?", persona_ids: [story.persona.id] }
      })
      yield* story.mail(3)
      const erased = yield* (yield* CreatorAdministration).erase(story.persona.creator.email)
      assert.deepStrictEqual(erased, { personas: 1, assignments: 2 })
      assert.strictEqual((yield* story.call(`/creator/${token}`)).status, 404)
      const ready = (yield* readJson(
        yield* story.call(`/partner/v1/topics/${story.id}/commentaries`, { key: story.key })
      )).data
      assert.strictEqual(ready.commentaries[0].content, "What I stand by.")
      const list = (yield* readJson(yield* story.call("/partner/v1/topics", { key: story.key }))).data
      assert.deepStrictEqual(
        list.map((topic: { status: string }) => topic.status),
        ["completed", "completed"]
      )
      const refused = yield* story.call("/partner/v1/topics", {
        method: "POST",
        key: story.key,
        body: { content: "Is anybody still there?", persona_ids: [story.persona.id] }
      })
      assert.strictEqual((yield* readJson(refused)).error.details[0].status, "not_licensed")
    }).pipe(Effect.provide(InMemory.layer))
)
