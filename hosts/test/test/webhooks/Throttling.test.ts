/**
 * Tests a receiver that responds with 429. All deliveries of the webhook wait, the 429 does not count as an attempt of
 * the retry schedule, and the contact is notified.
 */
import { assert, it } from "@effect/vitest"
import { defaults } from "@partner-commentary/core/shared/WebhookPolicy"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  makeDeliveriesApiReader,
  readWebhookRequests,
  registerWebhook,
  seedDecliningPartner,
  waitForEvents
} from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"
import { getWebhook, requestDeliveryRecovery, retryDelivery } from "../support/WebhookCalls.ts"

/**
 * The lease is long, because attempts and mails count as lost when the test moves the clock past the end of their
 * leases.
 */
const lease = Duration.days(90)
const patient = InMemory.layerWith({ policy: { lease } })

const throttled = Effect.gen(function* () {
  const receivers = yield* InMemoryWebhookReceivers
  const partner = yield* seedDecliningPartner
  const hook = yield* registerWebhook(partner.key, ["commentary.failed"])
  const list = makeDeliveriesApiReader(partner.key, hook.id)
  const written = (count: number) =>
    eventually(
      `${count} attempts written down`,
      Effect.map(list.list(), (all: ReadonlyArray<{ attempt_count: number }>) =>
        all.reduce((sum, { attempt_count }) => sum + attempt_count, 0) === count ? true : undefined
      )
    )
  const notices = Effect.flatMap(Mailbox, (mailbox) =>
    Effect.map(mailbox.to(partner.owner.contactEmail ?? ""), (sent) =>
      sent.filter(({ subject }) => subject.startsWith("A webhook is throttled"))
    )
  )
  return { ...partner, ...list, receivers, hook, written, notices }
})

it.effect("a receiver that responds with 429 to 30 events gets few attempts a minute, and all events arrive", () =>
  Effect.gen(function* () {
    const { declined, hook, key, list, receivers } = yield* throttled
    yield* receivers.answer(() => Effect.succeed({ status: 429, retryAfter: "3" }))
    for (let count = 1; count <= 30; count++) yield* declined(`Who is number ${count} this season?`)
    yield* waitForEvents(1)
    for (let second = 0; second < 60; second++) yield* TestClock.adjust("1 second")
    const hits = (yield* readWebhookRequests).length
    // The attempts run at 0, 5, 15 and 35 seconds, up to five at a time.
    assert.isAtMost(hits, 20)
    const { body } = yield* getWebhook(key, `/${hook.id}`)
    assert.strictEqual(body.data.consecutive_failures, 0)
    yield* receivers.answer(() => Effect.succeed({}))
    yield* TestClock.adjust("2 minutes")
    yield* eventually(
      "all delivered",
      Effect.map(list("?status=delivered&limit=100"), ({ length }) => (length === 30 ? true : undefined))
    )
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a long Retry-After holds every delivery of the webhook, and next_attempt_at shows when the pause ends", () =>
  Effect.gen(function* () {
    const { declined, list, receivers, written } = yield* throttled
    yield* receivers.answer(() => Effect.succeed({ status: 429, retryAfter: "600" }))
    yield* declined("Who wins the first match this season?")
    yield* written(1)
    const resume = new Date((yield* Clock.currentTimeMillis) + 600_000).toISOString()
    yield* declined("Who wins the second match this season?")
    yield* TestClock.adjust("9 minutes")
    assert.lengthOf(yield* readWebhookRequests, 1)
    const planned = (yield* list()).map(({ next_attempt_at, status }: Record<string, unknown>) => [
      status,
      next_attempt_at
    ])
    assert.deepStrictEqual(planned, [
      ["pending", resume],
      ["pending", resume]
    ])
    yield* receivers.answer(() => Effect.succeed({}))
    yield* TestClock.adjust("1 minute")
    yield* waitForEvents(3)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "429 responses do not count as attempts: the event then still gets all ten attempts of its retry schedule",
  () =>
    Effect.gen(function* () {
      const { declined, list, receivers, written } = yield* throttled
      yield* receivers.answer(() => Effect.succeed({ status: 429, retryAfter: null }))
      yield* declined("Who wins the first match this season?")
      for (let count = 1; count <= 4; count++) {
        yield* written(count)
        yield* TestClock.adjust(Duration.times(defaults.throttleDelay, 2 ** (count - 1)))
      }
      yield* written(5)
      yield* receivers.answer(() => Effect.succeed({ status: 500 }))
      // The circuit breaker is off in this test, because an open circuit breaker would only delay these attempts.
      for (let count = 1; count <= 10; count++) {
        yield* TestClock.adjust("27 hours")
        yield* eventually(
          "an attempt",
          Effect.map(list(), ([only]) => (only.attempt_count >= 5 + count ? true : undefined))
        )
      }
      const [failed] = yield* list()
      assert.deepStrictEqual([failed.status, failed.attempt_count], ["failed", 15])
    }).pipe(
      Effect.provide(
        InMemory.layerWith({
          policy: { lease, webhooks: { ...defaults, breakerFailures: 1000, disableFailures: 1000 } }
        })
      )
    )
)

it.effect(
  "if 429 responses cause long pauses, the contact gets an immediate notice, and at most one notice a day",
  () =>
    Effect.gen(function* () {
      const { declined, hook, notices, receivers, written } = yield* throttled
      yield* receivers.answer(() => Effect.succeed({ status: 429, retryAfter: "7200" }))
      yield* declined("Who wins the first match this season?")
      yield* written(1)
      // The contact's next mail waits until five minutes after the mail about the new webhook.
      yield* TestClock.adjust("5 minutes")
      const [told] = yield* eventually(
        "the notice",
        Effect.map(notices, (sent) => (sent.length > 0 ? sent : undefined))
      )
      assert.include(told?.text, `Webhook: ${hook.id}`)
      assert.match(told?.text ?? "", /429/)
      for (let count = 2; count <= 12; count++) {
        yield* TestClock.adjust("2 hours")
        yield* written(count)
      }
      assert.lengthOf(yield* notices, 1)
      yield* TestClock.adjust("2 hours")
      yield* written(13)
      yield* eventually(
        "the second notice",
        Effect.map(notices, ({ length }) => (length === 2 ? true : undefined))
      )
    }).pipe(Effect.provide(patient))
)

it.effect("an event that gets only 429 responses fails 75 hours after its first attempt, and can be recovered", () =>
  Effect.gen(function* () {
    const { declined, hook, key, list, notices, receivers, written } = yield* throttled
    const states = Effect.map(list(), (all: ReadonlyArray<{ status: string }>) =>
      all.map(({ status }) => status).toSorted()
    )
    yield* receivers.answer(() => Effect.succeed({ status: 429, retryAfter: "86400" }))
    yield* declined("Who wins the first match this season?")
    for (let count = 1; count <= 3; count++) {
      yield* written(count)
      yield* TestClock.adjust("24 hours")
    }
    yield* written(4)
    yield* declined("Who wins the second match this season?")
    assert.deepStrictEqual(yield* states, ["pending", "pending"], "72 hours are fewer than 75")
    yield* TestClock.adjust("24 hours")
    yield* written(6)
    assert.deepStrictEqual(yield* states, ["failed", "pending"])
    const told = yield* notices
    assert.isAtLeast(told.length, 4)
    assert.include(told.at(-1)?.text, "given up")
    const { body } = yield* getWebhook(key, `/${hook.id}`)
    assert.deepInclude(body.data, { status: "active", consecutive_failures: 0 })
    const since = new Date((yield* Clock.currentTimeMillis) - Duration.toMillis(Duration.days(5))).toISOString()
    assert.strictEqual((yield* requestDeliveryRecovery(key, hook.id, { since })).status, 200)
    yield* written(8)
    assert.deepStrictEqual(yield* states, ["pending", "pending"], "a recovery gives the whole time again")
  }).pipe(Effect.provide(patient))
)

it.effect("a manual retry ends the webhook's pause after a 429 response", () =>
  Effect.gen(function* () {
    const { declined, list, key, hook, receivers, written } = yield* throttled
    yield* receivers.answer(() => Effect.succeed({ status: 429, retryAfter: "7200" }))
    yield* declined("Who wins the first match this season?")
    yield* written(1)
    yield* receivers.answer(() => Effect.succeed({}))
    const [waiting] = yield* list()
    assert.strictEqual((yield* retryDelivery(key, hook.id, waiting.id)).status, 200)
    yield* waitForEvents(2)
  }).pipe(Effect.provide(InMemory.layer))
)
