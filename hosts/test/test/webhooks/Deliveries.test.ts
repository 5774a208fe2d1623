/** Tests webhook deliveries of topic events: the changes that cause an event, the event's content, and the retries. */
import { assert, it } from "@effect/vitest"
import { verifyWebhook } from "@partner-commentary/client"
import { defaults } from "@partner-commentary/core/shared/WebhookPolicy"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
  makeDeliveriesApiReader,
  readSentEvents,
  readWebhookRequests,
  registerWebhook,
  seedDecliningPartner,
  waitForEvents
} from "../support/DeliveryCalls.ts"
import { eventually, runWhileTimePasses } from "../support/Eventually.ts"
import { actAsCreator, findCreatorToken, getJson, submitTopic, waitForStatus } from "../support/Requests.ts"
import { approves, declines, fails, seedTestIntegration } from "../support/TestIntegration.ts"
import { createWebhook, exampleWebhookUrl, patchWebhook, removeWebhook } from "../support/WebhookCalls.ts"

/**
 * The lease is long, because an attempt counts as lost when the test moves the clock past the end of the attempt's
 * lease.
 */
const patient = InMemory.layerWith({ policy: { lease: Duration.days(1) } })

it.effect("each change that causes an event is delivered once, signed, with the specification's payload", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.now())
    const { key, persona } = yield* seedDecliningPartner
    const hook = yield* registerWebhook(key, ["creator.approved", "partner.approved", "commentary.failed"])
    const content = "Who takes the title this season?"
    const { call } = yield* TestApi
    const metadata = { b: 1, a: ['"quoted" \\ 🏆', null, 0.5], "7": {} }
    const created = yield* Effect.flatMap(
      call("/partner/v1/topics", {
        method: "POST",
        key,
        body: { content, persona_ids: [persona.id], external_reference: "title-1", metadata }
      }),
      (answer) => Effect.promise(() => answer.json())
    )
    const topicId = created.data.topic_id
    const token = yield* findCreatorToken(persona, content)
    yield* actAsCreator(token, "respond", { perspective: "They will win it." })
    yield* waitForStatus(key, topicId, persona, "commentary_generated")
    assert.deepStrictEqual(yield* readSentEvents, [])
    yield* actAsCreator(token, "approve", { content: 'They will "win" it. 🏆' })
    const [approved] = yield* waitForEvents(1)
    const shown = (yield* getJson(key, `/topics/${topicId}`)).data.commentaries[0]
    const data = {
      topic_id: topicId,
      external_reference: "title-1",
      metadata,
      share_id: created.data.results[0].share_id,
      persona: { id: persona.id, name: persona.name },
      status: "creator_approved",
      topic: { status: "completed", summary: { total_personas: 1, completed: 1, pending: 0, failed: 0 } }
    }
    const { request, event } = approved ?? assert.fail("nothing arrived")
    assert.match(event.id, /^evt_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/)
    assert.deepStrictEqual(event, {
      id: event.id,
      type: "creator.approved",
      timestamp: event.timestamp,
      sequence: 1,
      data: { ...data, commentary: shown.commentary }
    })
    assert.strictEqual(request.headers["webhook-id"], event.id)
    assert.deepStrictEqual(
      yield* Effect.promise(() => verifyWebhook(request.body, request.headers, hook.secret)),
      event
    )
    yield* call(`/partner/v1/topics/${topicId}/commentaries/${shown.commentary.id}/approve`, { method: "POST", key })
    const [, accepted] = yield* waitForEvents(2)
    assert.deepStrictEqual(accepted?.event, {
      id: accepted?.event.id,
      type: "partner.approved",
      timestamp: accepted?.event.timestamp,
      sequence: 2,
      data: { ...data, commentary: (yield* getJson(key, `/topics/${topicId}`)).data.commentaries[0].commentary }
    })
    assert.notStrictEqual(accepted?.event.id, event.id)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a failure event contains the reason; for a topic without a reference and metadata, events contain null and {}",
  () =>
    Effect.gen(function* () {
      const { key, persona } = yield* seedDecliningPartner
      yield* registerWebhook(key, ["commentary.failed"])
      const topicId = yield* submitTopic(key, "Who goes down this season?", [persona])
      yield* actAsCreator(yield* findCreatorToken(persona, "Who goes down"), "decline", { reason: "Not my sport." })
      const [failed] = yield* waitForEvents(1)
      const { share_id } = (yield* getJson(key, `/topics/${topicId}`)).data.commentaries[0]
      assert.deepInclude(failed?.event, { type: "commentary.failed", sequence: 1 })
      assert.deepStrictEqual(failed?.event.data, {
        topic_id: topicId,
        external_reference: null,
        metadata: {},
        share_id,
        persona: { id: persona.id, name: persona.name },
        status: "declined",
        reason: "declined",
        topic: { status: "completed", summary: { total_personas: 1, completed: 0, pending: 0, failed: 1 } }
      })
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a webhook gets only its subscribed event types, from its own organization and environment", () =>
  Effect.gen(function* () {
    const { key, live, sent, settled } = yield* seedTestIntegration
    const stranger = yield* Effect.flatMap(Seed.createOrganization({ name: "Other" }), (owner) =>
      Seed.issueApiKey(owner, { environment: "test" })
    )
    const all = ["creator.approved", "partner.approved", "commentary.failed"]
    for (const [by, path, events] of [
      [key, "approvals", ["creator.approved"]],
      [key, "failures", ["commentary.failed"]],
      [live, "live", all],
      [stranger.text, "stranger", all]
    ] as const) {
      yield* createWebhook(by, { url: `https://example.com/${path}`, events })
    }
    const { topic } = yield* sent("Who wins on Sunday?", approves, declines, fails)
    yield* settled(topic)
    const arrived = yield* waitForEvents(3)
    const seen = arrived.map(({ event, request }) => [request.url.slice(20), event.type, event.data.reason ?? null])
    assert.deepStrictEqual(seen.toSorted(), [
      ["approvals", "creator.approved", null],
      ["failures", "commentary.failed", "declined"],
      ["failures", "commentary.failed", "generation_failed"]
    ])
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a failed delivery is retried up to ten times, after 5 s, 5 min, 30 min and so on, with the same bytes, and then fails",
  () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      yield* receivers.answer(() => Effect.succeed({ status: 500 }))
      const { declined, key } = yield* seedDecliningPartner
      const hook = yield* registerWebhook(key, ["commentary.failed"])
      yield* declined("Who goes down this season?")
      yield* waitForEvents(1)
      const minutes = [5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440]
      for (const [index, delay] of minutes.entries()) {
        const { last_delivery_at } = yield* hook.failures(index + 1)
        yield* TestClock.setTime(Date.parse(last_delivery_at) + delay * 60_000 - 1)
        assert.strictEqual((yield* readSentEvents).length, index + 1)
        yield* eventually(
          "the next attempt, at most a tenth late",
          Effect.andThen(
            TestClock.adjust("30 seconds"),
            Effect.map(readSentEvents, (all) => all.length === index + 2)
          )
        )
      }
      yield* hook.failures(10)
      yield* TestClock.adjust("30 days")
      const requests = yield* readWebhookRequests
      assert.strictEqual(requests.length, 10)
      assert.strictEqual(new Set(requests.map(({ body, headers }) => `${headers["webhook-id"]} ${body}`)).size, 1)
      assert.strictEqual(new Set(requests.map(({ headers }) => headers["webhook-timestamp"])).size, 10)
    }).pipe(Effect.provide(patient))
)

it.effect(
  "a successful delivery ends the retries, resets the failure count and sets the time of the last delivery",
  () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      yield* receivers.answer(() => Effect.succeed({ status: 503 }))
      const { declined, key } = yield* seedDecliningPartner
      const hook = yield* registerWebhook(key, ["commentary.failed"])
      yield* declined("Who goes down this season?")
      yield* hook.failures(1)
      yield* receivers.answer(() => Effect.succeed({ status: 204 }))
      yield* TestClock.adjust("6 seconds")
      const shown = yield* hook.failures(0)
      assert.match(shown.last_delivery_at, /^2026-03-01T09:00:0[56]/)
      yield* TestClock.adjust("10 days")
      assert.strictEqual((yield* readSentEvents).length, 2)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a paused webhook's events are held without an attempt, and are sent oldest first when the partner activates the webhook",
  () =>
    Effect.gen(function* () {
      const { declined, key } = yield* seedDecliningPartner
      const hook = yield* registerWebhook(key, ["commentary.failed"])
      yield* patchWebhook(key, hook.id, { status: "paused" })
      for (let count = 0; count < 15; count++) {
        yield* declined(`Who is number ${count} this season?`)
        yield* TestClock.adjust("1 hour")
      }
      yield* TestClock.adjust("10 days")
      assert.deepStrictEqual(yield* readSentEvents, [])
      yield* patchWebhook(key, hook.id, { status: "active" })
      const moments = (yield* waitForEvents(15)).map(({ event }) => event.timestamp)
      // At most five deliveries run concurrently, so an event can overtake at most four others.
      for (const [index, moment] of moments.entries()) {
        assert.isBelow(moments.slice(index).filter((later) => later < moment).length, 5)
      }
      assert.strictEqual((yield* hook.failures(0)).consecutive_failures, 0)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a 410 response immediately disables the webhook and notifies the contact, and activating the webhook sends held events",
  () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      yield* receivers.answer(() => Effect.succeed({ status: 410 }))
      const { declined, key, mails } = yield* seedDecliningPartner
      const hook = yield* registerWebhook(key, ["commentary.failed"])
      yield* declined("Who goes down this season?")
      const disabled = yield* hook.failures(1)
      assert.strictEqual(disabled.status, "disabled")
      // The contact's next mail waits until five minutes after the mail about the new webhook.
      yield* TestClock.adjust("5 minutes")
      const told = yield* mails("A webhook was disabled")
      assert.include(told.text, "410")
      assert.notInclude(told.text, exampleWebhookUrl)
      yield* declined("And who goes up instead?")
      yield* TestClock.adjust("2 days")
      assert.strictEqual((yield* readSentEvents).length, 1)
      yield* receivers.answer(() => Effect.succeed({}))
      yield* patchWebhook(key, hook.id, { status: "active" })
      yield* waitForEvents(3)
    }).pipe(Effect.provide(InMemory.layer))
)

for (const lease of ["1 second", "3 days"] as const) {
  it.effect(`a slow attempt is made only once, even if WORKER_LEASE is ${lease}`, () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      yield* receivers.answer(() => Effect.as(Effect.sleep("15 minutes"), { status: 204 }))
      const { declined, key } = yield* seedDecliningPartner
      const hook = yield* registerWebhook(key, ["commentary.failed"])
      yield* declined("Who goes down this season?")
      const [sent] = yield* waitForEvents(1)
      for (let minute = 0; minute < 12; minute++) yield* TestClock.adjust("1 minute")
      // A new event makes the worker query for due work.
      yield* declined("Who comes up this season?")
      yield* waitForEvents(2)
      yield* TestClock.adjust("3 minutes")
      const { one } = makeDeliveriesApiReader(key, hook.id)
      const look = Effect.map(one(sent?.event.id.slice(4)), (seen) => (seen.status === "delivered" ? seen : undefined))
      assert.strictEqual((yield* eventually("an arrival", look)).attempt_count, 1)
      assert.lengthOf(
        (yield* readSentEvents).filter(({ event }) => event.id === sent?.event.id),
        1
      )
    }).pipe(
      Effect.provide(
        InMemory.layerWith({
          policy: { lease: Duration.fromInputUnsafe(lease), webhooks: { ...defaults, timeout: Duration.minutes(20) } }
        })
      )
    )
  )
}

it.effect("after a webhook is removed, its deliveries are deleted", () =>
  Effect.gen(function* () {
    const { declined, key } = yield* seedDecliningPartner
    const hook = yield* registerWebhook(key, ["commentary.failed"])
    yield* declined("Who goes down this season?")
    yield* waitForEvents(1)
    const sql = yield* SqlClient.SqlClient
    const kept = Effect.map(
      sql`SELECT 1 FROM deliveries UNION ALL SELECT 1 FROM delivery_attempts`,
      (rows) => rows.length
    )
    yield* eventually(
      "written down",
      Effect.map(kept, (rows) => rows === 2)
    )
    assert.strictEqual((yield* removeWebhook(key, hook.id)).status, 200)
    yield* runWhileTimePasses(
      eventually(
        "deleted",
        Effect.map(kept, (rows) => rows === 0)
      )
    )
  }).pipe(Effect.provide(patient))
)
