/**
 * Tests jumps of the machine's clock, forward and back, while events are queued and in flight. No event is lost or
 * delayed forever.
 */
import { assert, it } from "@effect/vitest"
import type { WebhookId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { defaults } from "@partner-commentary/core/shared/WebhookPolicy"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { NoWebhookResponse } from "@partner-commentary/core/webhook/WebhookTransport"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { OffsetClock } from "@partner-commentary/test/OffsetClock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import {
  readSentEvents,
  registerWebhook,
  seedDecliningPartner,
  waitForEvents
} from "../../test/support/DeliveryCalls.ts"
import { eventually } from "../../test/support/Eventually.ts"
import { makeService, workers } from "./OffsetClockService.ts"

const webhooks = { ...defaults, retries: Array.from({ length: 40 }, () => Duration.hours(1)) }

const idle = makeService({ webhooks })
const application = Layer.provideMerge(workers, idle)

/** The test waits this long to show that an event does not arrive. */
const aWhile = Effect.sleep("150 millis")

/** Reads the results of all delivery attempts, and the number of deliveries in each state. */
const books = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const states = yield* sql<{ readonly state: string; readonly count: number }>`
    SELECT state, COUNT(*) AS count FROM deliveries GROUP BY state`
  // Query the attempts after the states, so that every delivery that counts as delivered has its attempt in the result.
  const attempts = yield* sql<{ readonly failure: string | null; readonly duration: number }>`
    SELECT failure, duration FROM delivery_attempts ORDER BY event_id, claim_number`
  return { attempts, states: Object.fromEntries(states.map(({ count, state }) => [state, count])) }
})

const delivered = (count: number) =>
  eventually(
    `${count} delivered`,
    Effect.map(books, ({ attempts, states }) =>
      states["delivered"] === count && states["pending"] === undefined ? attempts : undefined
    )
  )

const seededHook = Effect.gen(function* () {
  const partner = yield* seedDecliningPartner
  return { ...partner, hook: yield* registerWebhook(partner.key, ["commentary.failed"]) }
})

/** The first attempt of one delivery has failed, and the receiver accepts the next attempt. */
const failedAttempt = Effect.gen(function* () {
  const receivers = yield* InMemoryWebhookReceivers
  yield* receivers.answer(() => Effect.succeed({ status: 500 }))
  const { declined, hook } = yield* seededHook
  yield* declined("Who goes down this season?")
  yield* hook.failures(1)
  yield* receivers.answer(() => Effect.succeed({}))
  return { declined }
})

/** The receiver has got one event, and answers when the test completes `answer`. */
const runningAttempt = Effect.gen(function* () {
  const receivers = yield* InMemoryWebhookReceivers
  const answer = yield* Deferred.make<void>()
  yield* receivers.answer(() => Effect.as(Deferred.await(answer), {}))
  const { declined } = yield* seededHook
  yield* declined("Who goes down this season?")
  yield* waitForEvents(1)
  return { answer, receivers }
})

it.live("after a jump forward by three days, deliveries that wait for a retry are sent immediately and only once", () =>
  Effect.gen(function* () {
    const { jump } = yield* OffsetClock
    yield* failedAttempt
    yield* jump(72)
    yield* delivered(1)
    yield* aWhile
    assert.strictEqual((yield* readSentEvents).length, 2)
  }).pipe(Effect.provide(application))
)

it.live("after a jump forward during an attempt, the attempt counts as lost and is repeated once", () =>
  Effect.gen(function* () {
    const { jump } = yield* OffsetClock
    const { answer, receivers } = yield* runningAttempt
    yield* receivers.answer(() => Effect.succeed({}))
    yield* jump(2)
    yield* delivered(1)
    yield* Deferred.succeed(answer, undefined)
    yield* eventually(
      "both attempts in the log",
      Effect.map(books, ({ attempts }) => attempts.length === 2)
    )
    yield* aWhile
    assert.strictEqual((yield* readSentEvents).length, 2)
    for (const { duration } of (yield* books).attempts) assert.isBelow(duration, 60_000, "it took what it took")
  }).pipe(Effect.provide(application))
)

it.live("after a jump back by five hours, new events and waiting deliveries are sent immediately and only once", () =>
  Effect.gen(function* () {
    const { jump } = yield* OffsetClock
    const { declined } = yield* failedAttempt
    yield* jump(-5)
    yield* declined("And who goes up instead?")
    yield* delivered(2)
    yield* jump(5)
    yield* aWhile
    assert.strictEqual((yield* readSentEvents).length, 3)
  }).pipe(Effect.provide(application))
)

it.live("after a jump back during an attempt, the attempt is recorded and is not repeated", () =>
  Effect.gen(function* () {
    const { jump } = yield* OffsetClock
    const { answer } = yield* runningAttempt
    yield* jump(-5)
    yield* aWhile
    yield* Deferred.succeed(answer, undefined)
    const [attempt] = yield* delivered(1)
    assert.isAtLeast(attempt?.duration ?? -1, 0)
    yield* jump(5)
    yield* aWhile
    assert.strictEqual((yield* readSentEvents).length, 1)
  }).pipe(Effect.provide(application))
)

it.live("after a jump back by more than the longest retry delay, waiting deliveries are sent immediately", () =>
  Effect.gen(function* () {
    const { jump } = yield* OffsetClock
    yield* failedAttempt
    yield* jump(-24 * 30)
    yield* delivered(1)
    assert.strictEqual((yield* readSentEvents).length, 2)
  }).pipe(Effect.provide(application))
)

it.live("after a jump back by a month, another worker claims a dead worker's delivery after one lease", () =>
  Effect.gen(function* () {
    const { jump } = yield* OffsetClock
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* Layer.build(workers)
        const partner = yield* seedDecliningPartner
        yield* registerWebhook(partner.key, ["commentary.failed"])
        yield* (yield* InMemoryWebhookReceivers).answer(() => Effect.never)
        yield* partner.declined("Who goes down this season?")
        yield* waitForEvents(1)
      })
    )
    const store = yield* DeliveryStore
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly webhook_id: WebhookId }>`SELECT webhook_id FROM deliveries`
    const now = yield* Instant.now
    const taken = yield* store.claim(row?.webhook_id ?? ("" as WebhookId), now, now + 90_000, {
      allow: () => ({ limit: 5, probe: false }),
      taken: (present) => present
    })
    assert.strictEqual(taken.length, 1, "nobody else has it")
    yield* (yield* InMemoryWebhookReceivers).answer(() => Effect.succeed({}))
    yield* jump(-24 * 30)
    yield* Layer.build(workers)
    const inAnHour = Instant.toIso((yield* Instant.now) + 3_600_000)
    yield* eventually(
      "a lease from now",
      Effect.map(
        sql`SELECT 1 FROM deliveries WHERE is_leased = 1 AND due_at < ${inAnHour}`,
        ({ length }) => length === 1
      )
    )
    yield* jump(0.1)
    yield* delivered(1)
  }).pipe(Effect.scoped, Effect.provide(idle))
)

it.live("after a jump back by a month, a receiver behind an open circuit breaker is soon probed again", () =>
  Effect.gen(function* () {
    const receivers = yield* InMemoryWebhookReceivers
    const { jump } = yield* OffsetClock
    yield* receivers.answer(() =>
      Effect.fail(new NoWebhookResponse({ failure: "refused", reason: "Nobody is there." }))
    )
    const { declined, hook } = yield* seededHook
    for (const [index, content] of ["Who is first of all?", "Who comes second?", "Who comes third?"].entries()) {
      yield* declined(content)
      yield* hook.failures(index + 1)
    }
    yield* declined("And who is the last?")
    yield* aWhile
    assert.strictEqual((yield* readSentEvents).length, 3)
    yield* receivers.answer(() => Effect.succeed({}))
    yield* jump(-24 * 30)
    yield* delivered(4)
  }).pipe(Effect.provide(application))
)

it.live(
  "with random jumps by hours and days in both directions, each event arrives and the log contains every attempt",
  () =>
    Effect.gen(function* () {
      const receivers = yield* InMemoryWebhookReceivers
      const { jump } = yield* OffsetClock
      const turn = { number: 0 }
      yield* receivers.answer(() =>
        Effect.suspend(() => {
          turn.number += 1
          return Effect.delay(
            Effect.succeed({ status: turn.number % 4 === 0 ? 503 : 200 }),
            Duration.millis((turn.number * 7) % 30)
          )
        })
      )
      const { declined } = yield* seededHook
      const jumps = [3, -5, 30, -40, 0.02, -0.02, 100, -60, -24, 12]
      const count = 30
      for (let number = 0; number < count; number++) {
        yield* declined(`Who is number ${number} this season?`)
        yield* jump(jumps[number % jumps.length] ?? 0)
        yield* Effect.sleep("20 millis")
      }
      yield* eventually(
        "all of them delivered",
        Effect.andThen(
          Effect.andThen(jump(2), aWhile),
          Effect.map(books, ({ states }) => states["delivered"] === count)
        )
      )
      const sent = yield* eventually(
        "every attempt in the log, those that were taken for lost too",
        Effect.flatMap(books, ({ attempts }) =>
          Effect.map(readSentEvents, (all) => (all.length === attempts.length ? all : undefined))
        )
      )
      assert.strictEqual(new Set(sent.map(({ event }) => event.id)).size, count)
    }).pipe(Effect.provide(application))
)
