/**
 * Tests when a webhook is disabled and when its contact is warned. Each test checks a condition exactly at its limit,
 * as partners see it, on a test clock.
 */
import { assert, it } from "@effect/vitest"
import { Retention } from "@partner-commentary/core/operations/Retention"
import { defaults } from "@partner-commentary/core/shared/WebhookPolicy"
import { NoWebhookResponse } from "@partner-commentary/core/webhook/WebhookTransport"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import {
  advanceToNextAttempt,
  makeDeliveriesApiReader,
  readSentEvents,
  registerWebhook,
  seedDecliningPartner,
  waitForEvents
} from "../../test/support/DeliveryCalls.ts"
import { eventually } from "../../test/support/Eventually.ts"
import { getWebhook, patchWebhook } from "../../test/support/WebhookCalls.ts"

const hour = 3_600_000
const day = 24 * hour

/**
 * The lease is long, because an attempt counts as lost when the test moves the clock past the end of the attempt's
 * lease.
 */
const lease = Duration.days(90)

/**
 * Each event gets one immediate attempt, because the first retry is 60 days later. The circuit breaker stays closed.
 * Other tests cover the circuit breaker.
 */
const once = { ...defaults, retries: [Duration.days(60)], breakerFailures: 1000 }
const exact = InMemory.layerWith({ policy: { lease, webhooks: once } })

/** Creates a webhook whose receiver fails. `fails` causes the given number of failed deliveries. */
const failing = Effect.gen(function* () {
  const receivers = yield* InMemoryWebhookReceivers
  yield* receivers.answer(() => Effect.succeed({ status: 500 }))
  const partner = yield* seedDecliningPartner
  const hook = yield* registerWebhook(partner.key, ["commentary.failed"])
  const start = yield* Clock.currentTimeMillis
  const made = { events: 0 }
  const event = Effect.suspend(() => partner.declined(`Who is number ${++made.events} this season?`))
  const shown = Effect.map(getWebhook(partner.key, `/${hook.id}`), ({ body }) => body.data)
  /** Causes `count` more failures with one event each, and waits until the webhook shows the failures. */
  const fails = Effect.fnUntraced(function* (count: number) {
    const before = (yield* shown).consecutive_failures as number
    for (let more = 1; more <= count; more++) {
      yield* event
      yield* hook.failures(before + more)
    }
    return yield* shown
  })
  const sentMails = (subject: string) =>
    Effect.flatMap(Mailbox, (mailbox) =>
      Effect.map(mailbox.to(partner.owner.contactEmail ?? ""), (sent) =>
        sent.filter((mail) => mail.subject.startsWith(subject))
      )
    )
  const at = (moment: number) => TestClock.setTime(start + moment)
  return { ...partner, receivers, hook, event, fails, shown, sentMails, at }
})

it.effect(
  "the 20th consecutive failure disables a webhook exactly 24 hours after the first failure, and the contact gets the reason",
  () =>
    Effect.gen(function* () {
      const { at, fails, hook, mails, sentMails } = yield* failing
      assert.strictEqual((yield* fails(18)).status, "active")
      yield* at(day)
      assert.strictEqual((yield* fails(1)).status, "active", "the 19th does not")
      assert.strictEqual((yield* fails(1)).status, "disabled")
      // The contact got the warning less than five minutes ago, so this notice waits until the five minutes are over.
      yield* TestClock.adjust("5 minutes")
      const told = yield* mails("A webhook was disabled")
      assert.include(told.text, "Failed attempts in a row: 20")
      assert.include(told.text, "The receiver answered with status 500, which is not a success.")
      assert.include(told.text, `PATCH /webhooks/${hook.id}`)
      yield* TestClock.adjust("1 day")
      assert.lengthOf(yield* sentMails("A webhook was disabled"), 1)
    }).pipe(Effect.provide(exact))
)

it.effect("a millisecond before the 24 hours end, a webhook is still enabled, even after many failures", () =>
  Effect.gen(function* () {
    const { at, fails } = yield* failing
    yield* fails(25)
    yield* at(day - 1)
    assert.strictEqual((yield* fails(1)).status, "active")
    yield* at(day)
    assert.strictEqual((yield* fails(1)).status, "disabled")
  }).pipe(Effect.provide(exact))
)

it.effect(
  "repeated failures of one event never disable a webhook, but a failure of a second event disables the webhook",
  () =>
    Effect.gen(function* () {
      const { event, hook, key, shown } = yield* failing
      yield* event
      yield* hook.failures(1)
      for (let count = 2; count <= 30; count++) {
        yield* advanceToNextAttempt(makeDeliveriesApiReader(key, hook.id).list)
        yield* hook.failures(count)
      }
      assert.strictEqual((yield* shown).status, "active")
      yield* event
      yield* hook.failures(31)
      assert.strictEqual((yield* shown).status, "disabled")
    }).pipe(
      Effect.provide(
        InMemory.layerWith({
          policy: { lease, webhooks: { ...once, retries: Array.from({ length: 40 }, () => Duration.hours(1)) } }
        })
      )
    )
)

it.effect("a 429 response neither counts as a failure nor ends a series of consecutive failures", () =>
  Effect.gen(function* () {
    const { at, event, fails, hook, receivers, shown } = yield* failing
    yield* fails(19)
    yield* receivers.answer(() => Effect.succeed({ status: 429, retryAfter: "90" }))
    yield* at(day)
    yield* event
    const sql = yield* SqlClient.SqlClient
    for (let count = 1; count <= 5; count++) {
      yield* waitForEvents(19 + count)
      yield* eventually(
        "each of them in the log",
        Effect.map(sql`SELECT 1 FROM delivery_attempts WHERE status = 429`, (rows) => rows.length === count)
      )
      if (count < 5) yield* TestClock.adjust("100 seconds")
    }
    const busy = yield* shown
    assert.deepStrictEqual([busy.status, busy.consecutive_failures], ["active", 19])
    yield* receivers.answer(() => Effect.succeed({ status: 500 }))
    yield* TestClock.adjust("2 minutes")
    assert.strictEqual((yield* hook.failures(20)).status, "disabled")
  }).pipe(Effect.provide(exact))
)

it.effect("a success restarts the count of failures and the period of 24 hours", () =>
  Effect.gen(function* () {
    const { at, event, fails, hook, receivers } = yield* failing
    yield* fails(19)
    yield* receivers.answer(() => Effect.succeed({}))
    yield* event
    yield* hook.failures(0)
    yield* receivers.answer(() => Effect.succeed({ status: 500 }))
    yield* at(day)
    assert.strictEqual((yield* fails(19)).status, "active")
    yield* at(2 * day - 1)
    assert.strictEqual((yield* fails(1)).status, "active")
    yield* at(2 * day)
    assert.strictEqual((yield* fails(1)).status, "disabled")
  }).pipe(Effect.provide(exact))
)

it.effect("the contact gets one warning exactly when 10 failures have occurred over 12 hours", () =>
  Effect.gen(function* () {
    const { at, fails, sentMails } = yield* failing
    const warnings = Effect.map(sentMails("A webhook is failing"), ({ length }) => length)
    yield* fails(9)
    yield* at(day / 2 - 1)
    yield* fails(1)
    yield* at(day / 2)
    assert.strictEqual(yield* warnings, 0, "not before 12 hours")
    yield* fails(1)
    yield* eventually(
      "the warning",
      Effect.map(warnings, (count) => count === 1)
    )
    yield* at(day - 1)
    yield* fails(5)
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* warnings, 1)
  }).pipe(Effect.provide(exact))
)

it.effect("nine failures over 12 hours cause no warning, and the tenth failure causes a warning", () =>
  Effect.gen(function* () {
    const { at, fails, mails, sentMails } = yield* failing
    yield* fails(8)
    yield* at(day / 2)
    yield* fails(1)
    yield* TestClock.adjust("1 minute")
    assert.lengthOf(yield* sentMails("A webhook is failing"), 0)
    yield* fails(1)
    assert.include((yield* mails("A webhook is failing")).text, "Failed attempts in a row: 10")
  }).pipe(Effect.provide(exact))
)

it.effect(
  "activating a webhook resets its failure count, so one more failure does not disable it, and held events are sent oldest first",
  () =>
    Effect.gen(function* () {
      const { at, event, fails, hook, key, mails, receivers, shown } = yield* failing
      yield* fails(19)
      yield* at(day)
      assert.strictEqual((yield* fails(1)).status, "disabled")
      yield* mails("A webhook was disabled")
      for (let count = 0; count < 12; count++) {
        yield* event
        yield* TestClock.adjust("1 hour")
      }
      assert.lengthOf(yield* readSentEvents, 20, "held ones spend no attempt")
      yield* patchWebhook(key, hook.id, { status: "active" })
      yield* hook.failures(1).pipe(
        Effect.race(
          eventually(
            "it goes on",
            Effect.map(readSentEvents, (all) => all.length > 20)
          )
        )
      )
      assert.strictEqual((yield* shown).status, "active")
      yield* receivers.answer(() => Effect.succeed({}))
      yield* patchWebhook(key, hook.id, { status: "active" })
      yield* TestClock.adjust("1 minute")
      const moments = (yield* waitForEvents(32)).slice(20).map(({ event: { timestamp } }) => timestamp as string)
      for (const [index, moment] of moments.entries()) {
        assert.isBelow(moments.slice(index).filter((later) => later < moment).length, 5, "none is further ahead than 5")
      }
    }).pipe(Effect.provide(exact))
)

it.effect(
  "the webhook of an unreachable receiver is disabled by the circuit breaker's first failed probe after 24 hours",
  () =>
    Effect.gen(function* () {
      const { fails, hook, receivers, shown } = yield* failing
      yield* receivers.answer(() =>
        Effect.fail(new NoWebhookResponse({ failure: "refused", reason: "Nobody is there." }))
      )
      yield* fails(3)
      const minutes = [1, 2, 4, 8, 16, ...Array.from({ length: 47 }, () => 30)]
      for (const [index, delay] of minutes.entries()) {
        assert.strictEqual((yield* shown).status, "active")
        yield* TestClock.adjust(Duration.minutes(delay))
        yield* hook.failures(3 + index + 1)
      }
      assert.strictEqual((yield* shown).status, "disabled")
      assert.strictEqual(
        minutes.reduce((sum, delay) => sum + delay),
        24 * 60 + 1
      )
    }).pipe(Effect.provide(InMemory.layerWith({ policy: { lease } })))
)

it.effect("events that were held for up to 30 days are sent, and older events are dropped", () =>
  Effect.gen(function* () {
    const { event, hook, key, receivers } = yield* failing
    yield* receivers.answer(() => Effect.succeed({}))
    yield* patchWebhook(key, hook.id, { status: "paused" })
    yield* event
    yield* TestClock.adjust("1 hour")
    yield* event
    yield* TestClock.adjust(Duration.millis(30 * day - hour))
    const now = yield* Clock.currentTimeMillis
    const before = { mails: 0, windows: 0, answers: 0, testTopics: 0 }
    const { events } = yield* (yield* Retention).purge({ ...before, events: now - 30 * day + 1 })
    // The two deleted events are the creator's event and the topic.completed event.
    assert.strictEqual(events, 2)
    yield* patchWebhook(key, hook.id, { status: "active" })
    const [kept] = yield* waitForEvents(1)
    assert.strictEqual(Date.parse(kept?.event.timestamp), now - 30 * day + hour)
    yield* TestClock.adjust("1 day")
    assert.lengthOf(yield* readSentEvents, 1)
  }).pipe(Effect.provide(exact))
)
