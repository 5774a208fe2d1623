/**
 * Tests a clock that is two hours fast for a short time and is then corrected. Work that was queued while the clock was
 * fast must run immediately, not two hours later.
 */
import { assert, it } from "@effect/vitest"
import { testPersonas } from "@partner-commentary/core/persona/TestPersonas"
import type { ShareId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { respond } from "@partner-commentary/core/topic/Workflow"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { OffsetClock } from "@partner-commentary/test/OffsetClock"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  makeDeliveriesApiReader,
  readSentEvents,
  registerWebhook,
  seedDecliningPartner,
  waitForEvents
} from "../../test/support/DeliveryCalls.ts"
import { eventually } from "../../test/support/Eventually.ts"
import { readJson } from "../../test/support/Json.ts"
import { makeService, workers } from "./OffsetClockService.ts"

const application = makeService()

/** Starts the worker after the clock was corrected. */
const startWorkers = Layer.build(workers)

const posted = Effect.fnUntraced(function* (environment: "live" | "test") {
  const { call } = yield* TestApi
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner, { environment })
  const asked = environment === "test" ? testPersonas[0]?.id : persona.id
  const body = { content: "Who goes down this season?", persona_ids: [asked] }
  const { data } = yield* Effect.flatMap(call("/partner/v1/topics", { method: "POST", key, body }), readJson)
  return { address: persona.creator.email, share: data.results[0].share_id as ShareId }
})

const statusOf = (share: ShareId) =>
  Effect.map(
    Effect.flatMap(AssignmentStore, (store) => store.find(share)),
    (found) => Option.getOrThrow(found).assignment.status
  )

it.live("a mail that was queued while the clock was ahead is sent immediately and only once", () =>
  Effect.gen(function* () {
    const { jump } = yield* OffsetClock
    const { to } = yield* Mailbox
    yield* jump(2)
    const { address } = yield* posted("live")
    yield* jump(-2)
    yield* startWorkers
    yield* eventually(
      "the request's mail",
      Effect.map(to(address), ({ length }) => length > 0)
    )
    yield* Effect.sleep("100 millis")
    assert.strictEqual((yield* to(address)).length, 1)
  }).pipe(Effect.scoped, Effect.provide(application))
)

it.live("a draft that was requested while the clock was ahead is written immediately", () =>
  Effect.gen(function* () {
    const { jump } = yield* OffsetClock
    yield* jump(2)
    const { share } = yield* posted("live")
    const now = yield* Instant.now
    const store = yield* AssignmentStore
    yield* store.modify(share, (present) => respond(present, { perspective: "It rains." }, now))
    yield* jump(-2)
    yield* startWorkers
    yield* eventually(
      "a draft",
      Effect.map(statusOf(share), (status) => status === "commentary_generated")
    )
  }).pipe(Effect.scoped, Effect.provide(application))
)

it.live("a test topic that was submitted while the clock was ahead continues at its usual pace", () =>
  Effect.gen(function* () {
    const { jump } = yield* OffsetClock
    yield* jump(2)
    const { share } = yield* posted("test")
    yield* jump(-2)
    yield* startWorkers
    yield* eventually(
      "an approval",
      Effect.map(statusOf(share), (status) => status === "creator_approved")
    )
  }).pipe(Effect.scoped, Effect.provide(application))
)

/** Declines a request while the clock is two hours ahead. The partner has a webhook. */
const declinedWhileAhead = Effect.gen(function* () {
  const { jump } = yield* OffsetClock
  const { declined, key } = yield* seedDecliningPartner
  const { id } = yield* registerWebhook(key, ["commentary.failed"])
  const { list } = makeDeliveriesApiReader(key, id)
  yield* jump(2)
  yield* declined("Who goes down this season?")
  return eventually(
    "an attempt in the log",
    Effect.map(list(), ([delivery]) => delivery?.attempt_count === 1)
  )
})

const clockRightAgain = Effect.gen(function* () {
  yield* (yield* InMemoryWebhookReceivers).answer(() => Effect.succeed({}))
  yield* (yield* OffsetClock).jump(-2)
})

it.live("an event that a stopping worker released while the clock was ahead is delivered immediately", () =>
  Effect.gen(function* () {
    yield* (yield* InMemoryWebhookReceivers).answer(() => Effect.never)
    yield* Effect.scoped(Effect.andThen(startWorkers, Effect.andThen(declinedWhileAhead, waitForEvents(1))))
    yield* clockRightAgain
    yield* startWorkers
    yield* waitForEvents(2)
    yield* Effect.sleep("100 millis")
    assert.strictEqual((yield* readSentEvents).length, 2)
  }).pipe(Effect.scoped, Effect.provide(application))
)

it.live("a delivery that failed while the clock was ahead is retried immediately", () =>
  Effect.gen(function* () {
    yield* (yield* InMemoryWebhookReceivers).answer(() => Effect.succeed({ status: 500 }))
    yield* startWorkers
    yield* yield* declinedWhileAhead
    yield* clockRightAgain
    yield* waitForEvents(2)
  }).pipe(Effect.scoped, Effect.provide(application))
)

it.live("a webhook that paused after a 429 while the clock was ahead gets its events immediately", () =>
  Effect.gen(function* () {
    yield* (yield* InMemoryWebhookReceivers).answer(() => Effect.succeed({ status: 429, retryAfter: "60" }))
    yield* startWorkers
    yield* yield* declinedWhileAhead
    yield* clockRightAgain
    yield* waitForEvents(2)
  }).pipe(Effect.scoped, Effect.provide(application))
)
