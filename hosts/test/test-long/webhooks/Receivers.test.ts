/**
 * Tests receivers that fail for a long time: the circuit breaker, warnings, disabling and held events. A failing
 * receiver must not affect other receivers.
 */
import { assert, it } from "@effect/vitest"
import { AccessChanges } from "@partner-commentary/core/access/AccessChanges"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { defaults } from "@partner-commentary/core/shared/WebhookPolicy"
import { NoWebhookResponse } from "@partner-commentary/core/webhook/WebhookTransport"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Seed from "@partner-commentary/test/Seed"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
  makeDeliveriesApiReader,
  readSentEvents,
  registerWebhook,
  seedDecliningPartner,
  waitForEvents
} from "../../test/support/DeliveryCalls.ts"
import { eventually } from "../../test/support/Eventually.ts"
import { actAsCreator, findCreatorToken, submitTopic } from "../../test/support/Requests.ts"
import { getWebhook, requestDeliveryRecovery, retryDelivery } from "../../test/support/WebhookCalls.ts"

/**
 * The lease is long, because an attempt counts as lost when the test moves the clock past the end of the attempt's
 * lease.
 */
const lease = Duration.days(1)
const patient = InMemory.layerWith({ policy: { lease } })

const refused = Effect.fail(new NoWebhookResponse({ failure: "refused", reason: "Nobody is there." }))

/** Opens the circuit breaker with three refused connections. The circuit breaker's first probe is due in a minute. */
const leftAlone = Effect.gen(function* () {
  const receivers = yield* InMemoryWebhookReceivers
  yield* receivers.answer(() => refused)
  const { declined, key } = yield* seedDecliningPartner
  const hook = yield* registerWebhook(key, ["commentary.failed"])
  for (const [index, content] of ["Who is first of all?", "Who comes second then?", "Who comes third?"].entries()) {
    yield* declined(content)
    yield* hook.failures(index + 1)
  }
  return { answer: receivers.answer, declined, hook, key }
})

it.effect("after three failed events, an unreachable receiver gets only one probe at a time", () =>
  Effect.gen(function* () {
    const { answer, declined, hook } = yield* leftAlone
    for (let count = 0; count < 20; count++) yield* declined(`Who is number ${count} this season?`)
    yield* TestClock.adjust("59 seconds")
    assert.strictEqual((yield* readSentEvents).length, 3)
    yield* TestClock.adjust("1 second")
    yield* hook.failures(4)
    yield* TestClock.adjust("119 seconds")
    assert.strictEqual((yield* readSentEvents).length, 4)
    yield* answer(() => Effect.succeed({}))
    yield* TestClock.adjust("1 second")
    yield* waitForEvents(5)
    // The receiver responds again. The worker sends the held events, ten of them in the first second.
    yield* waitForEvents(15)
    yield* hook.failures(0)
    assert.strictEqual((yield* readSentEvents).length, 15)
    yield* TestClock.adjust("1 second")
    const all = yield* waitForEvents(23 + 4)
    assert.strictEqual(new Set(all.map(({ event }) => event.id)).size, 23)
    assert.strictEqual(all.length, 27)
  }).pipe(Effect.provide(patient))
)

it.effect(
  "a manual retry to an unreachable receiver is attempted immediately, and if it succeeds, all held events are sent",
  () =>
    Effect.gen(function* () {
      const { answer, hook, key } = yield* leftAlone
      const [newest] = yield* makeDeliveriesApiReader(key, hook.id).list()
      yield* retryDelivery(key, hook.id, newest.id)
      // The receiver still fails, so the circuit breaker stays open for longer. Another manual retry is attempted
      // immediately although the circuit breaker is open.
      yield* hook.failures(4)
      yield* answer(() => Effect.succeed({}))
      yield* retryDelivery(key, hook.id, newest.id)
      yield* waitForEvents(4 + 1)
      yield* hook.failures(0)
      // The remaining held events wait five more seconds.
      yield* TestClock.adjust("6 seconds")
      yield* waitForEvents(4 + 3)
      assert.lengthOf(yield* readSentEvents, 7)
    }).pipe(Effect.provide(patient))
)

it.effect("a recovery immediately sends deliveries to an unreachable receiver", () =>
  Effect.gen(function* () {
    const { answer, hook, key } = yield* leftAlone
    yield* answer(() => Effect.succeed({}))
    const asked = yield* requestDeliveryRecovery(key, hook.id, { since: "2026-03-01T00:00:00.000Z" })
    assert.deepInclude(asked.body.data, { count: 3, held: 3 })
    yield* waitForEvents(3 + 3)
    yield* hook.failures(0)
    assert.lengthOf(yield* readSentEvents, 6)
  }).pipe(Effect.provide(patient))
)

it.effect(
  "the contact gets a warning after 10 failures over 12 hours, and a notice when 20 failures over 24 hours disable the webhook",
  () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      yield* receivers.answer(() => Effect.succeed({ status: 500 }))
      const { declined, key, mails } = yield* seedDecliningPartner
      const hook = yield* registerWebhook(key, ["commentary.failed"])
      yield* declined("Who goes down this season?")
      yield* hook.failures(1)
      yield* declined("And who goes up instead?")
      const failing = (status: string) =>
        eventually(
          status,
          Effect.andThen(
            TestClock.adjust("5 minutes"),
            Effect.map(getWebhook(key, `/${hook.id}`), ({ body }) =>
              body.data.status === status ? body.data : undefined
            )
          )
        )
      const disabled = yield* failing("disabled")
      assert.isAtLeast(disabled.consecutive_failures, 20)
      const warning = yield* mails("A webhook is failing")
      assert.include(warning.text, "Failed attempts in a row: ")
      assert.include(warning.text, hook.id)
      const told = yield* mails("A webhook was disabled")
      assert.include(told.text, `Failed attempts in a row: ${disabled.consecutive_failures}`)
      assert.include(told.text, "The receiver answered with status 500, which is not a success.")
      assert.include(told.text, `PATCH /webhooks/${hook.id}`)
      const sql = yield* SqlClient.SqlClient
      const record = yield* sql<{ readonly action: string }>`SELECT action FROM audit_log
      WHERE subject = ${hook.id} ORDER BY number`
      assert.deepStrictEqual(
        record.map(({ action }) => action),
        ["webhook.created", "webhook.failing", "webhook.disabled"]
      )
    }).pipe(Effect.provide(InMemory.layerWith({ policy: { lease, webhooks: soon } })))
)

/** The attempts of an event are an hour apart, so that 24 hours of failures need only a few moves of the clock. */
const soon = { ...defaults, retries: Array.from({ length: 40 }, () => Duration.hours(1)), breakerFailures: 1000 }

it.effect(
  "a suspended organization's events are held without an attempt, and are sent within a minute after its suspension ends",
  () =>
    Effect.gen(function* () {
      const { key, owner, persona } = yield* seedDecliningPartner
      yield* registerWebhook(key, ["commentary.failed"])
      const content = "Who goes down this season?"
      yield* submitTopic(key, content, [persona])
      const token = yield* findCreatorToken(persona, content)
      const registry = yield* OrganizationRegistry
      yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: 0 }))
      yield* actAsCreator(token, "decline", { reason: "No." })
      for (let hours = 0; hours < 3; hours++) yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* readSentEvents, [])
      yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: null }))
      yield* TestClock.adjust("1 minute")
      yield* waitForEvents(1)
      const sql = yield* SqlClient.SqlClient
      yield* eventually(
        "delivered at its first attempt",
        Effect.map(
          sql`SELECT 1 FROM deliveries WHERE state = 'delivered' AND claim_number = 1`,
          (rows) => rows.length === 1
        )
      )
    }).pipe(Effect.provide(patient))
)

it.effect(
  "the events of a suspended organization are held, even if an event was delivered just before the suspension",
  () =>
    Effect.gen(function* () {
      const { declined, key, owner } = yield* seedDecliningPartner
      yield* registerWebhook(key, ["commentary.failed"])
      yield* declined("Who goes down this season?")
      yield* waitForEvents(1)
      const content = "Who goes up this season?"
      const persona = yield* Seed.createPersona(owner)
      yield* submitTopic(key, content, [persona])
      const token = yield* findCreatorToken(persona, content)
      const registry = yield* OrganizationRegistry
      yield* registry.update(owner.id, (present) => ({ ...present, suspendedAt: 0 }))
      yield* (yield* AccessChanges).publish("")
      yield* actAsCreator(token, "decline", { reason: "No." })
      yield* TestClock.adjust("59 seconds")
      assert.lengthOf(yield* readSentEvents, 1)
    }).pipe(Effect.provide(patient))
)

it.effect("an event for a working receiver is not delayed by 100 hung receivers", () =>
  Effect.gen(function* () {
    const receivers = yield* InMemoryWebhookReceivers
    yield* receivers.answer(({ url }) => (url.includes("hung") ? Effect.never : Effect.succeed({})))
    const owners = yield* Effect.forEach(Array.from({ length: 6 }), () => seedDecliningPartner)
    const [healthy, ...others] = owners
    if (healthy === undefined) return
    for (const { declined, key } of others) {
      for (let count = 0; count < 20; count++) {
        yield* registerWebhook(key, ["commentary.failed"], `https://hung-${count}.example/`)
      }
      yield* declined("Who goes down this season?")
    }
    yield* eventually(
      "all of them hang",
      Effect.map(readSentEvents, (all) => all.length === 100)
    )
    yield* registerWebhook(healthy.key, ["commentary.failed"], "https://healthy.example/")
    yield* healthy.declined("Who goes up this season?")
    yield* eventually(
      "the healthy one is told",
      Effect.map(readSentEvents, (all) => all.some(({ request }) => request.url === "https://healthy.example/"))
    )
  }).pipe(Effect.provide(InMemory.layer))
)
