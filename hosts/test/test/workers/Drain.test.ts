/**
 * Tests `drain`, for hosts without a permanent process. Each drain runs the due work and then ends, even if several
 * drains run concurrently.
 */
import { assert, it } from "@effect/vitest"
import { CommentaryGenerator } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { type DrainLimits, drain } from "@partner-commentary/server/Workers"
import * as Application from "@partner-commentary/test/Application"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { extractCreatorToken, Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { registerWebhook } from "../support/DeliveryCalls.ts"
import { runWhileTimePasses } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"
import { removeWebhook, requestDeliveryRecovery } from "../support/WebhookCalls.ts"

const layer = InMemory.layerWithoutWorkers()

const seconds = (claimFor: number, runFor: number, lookahead = 5): DrainLimits => ({
  claimFor: Duration.seconds(claimFor),
  runFor: Duration.seconds(runFor),
  lookahead: Duration.seconds(lookahead)
})
const limits = seconds(40, 55)

const partner = (environment: "live" | "test" = "live") =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner, { environment })
    const submit = Effect.fnUntraced(function* (content = "Who takes the title this season?") {
      const body = { content, persona_ids: [persona.id] }
      return (yield* readJson(yield* call("/partner/v1/topics", { method: "POST", key, body }))).data.topic_id as string
    })
    const status = (id: string) =>
      Effect.map(
        Effect.flatMap(call(`/partner/v1/topics/${id}/status`, { key }), readJson),
        ({ data }) => data.personas[0].status as string
      )
    const act = (token: string, action: string, body: unknown = {}) =>
      call(`/creator/${token}/${action}`, { method: "POST", headers: { accept: "application/json" }, body })
    return { act, key, persona, status, submit }
  })

it.effect("without workers, drains between the requests do all work from the submission to the delivered event", () =>
  Effect.gen(function* () {
    const { act, key, persona, status, submit } = yield* partner()
    const mailbox = yield* Mailbox
    yield* registerWebhook(key, ["creator.approved"])
    yield* drain(limits)
    const id = yield* submit()
    assert.strictEqual(yield* status(id), "topic_sent")

    assert.deepStrictEqual(yield* drain(limits), { taken: 1, failed: 0, isMoreDue: false })
    const [request] = yield* mailbox.to(persona.creator.email)
    yield* act(extractCreatorToken(request ?? assert.fail("no request")), "respond", {
      perspective: "They will win it."
    })
    assert.strictEqual(yield* status(id), "opinion_injected")

    // One drain writes the draft and sends the mail about the draft.
    assert.include(yield* drain(limits), { failed: 0, isMoreDue: false })
    assert.strictEqual(yield* status(id), "commentary_generated")
    const [, draft] = yield* mailbox.to(persona.creator.email)
    yield* act(extractCreatorToken(draft ?? assert.fail("no draft")), "approve")

    const receivers = yield* InMemoryWebhookReceivers
    assert.lengthOf(yield* receivers.sent, 0)
    assert.deepStrictEqual(yield* drain(limits), { taken: 1, failed: 0, isMoreDue: false })
    assert.lengthOf(yield* receivers.sent, 1)
    assert.deepStrictEqual(yield* drain(limits), { taken: 0, failed: 0, isMoreDue: false })
  }).pipe(Effect.provide(layer))
)

it.effect(
  "a drain does all the work of a worker, including a recovery and the deletion of a removed webhook's rows",
  () =>
    Effect.gen(function* () {
      const { act, key, persona, submit } = yield* partner()
      const mailbox = yield* Mailbox
      const receivers = yield* InMemoryWebhookReceivers
      const sql = yield* SqlClient.SqlClient
      const hook = yield* registerWebhook(key, ["commentary.failed"])
      yield* receivers.answer(() => Effect.succeed({ status: 500 }))
      yield* submit()
      yield* drain(limits)
      const [request] = yield* mailbox.to(persona.creator.email)
      yield* act(extractCreatorToken(request ?? assert.fail("no request")), "decline", { reason: "No." })
      yield* drain(limits)
      assert.lengthOf(yield* receivers.sent, 1)
      yield* receivers.answer(() => Effect.succeed({}))
      yield* sql`UPDATE deliveries SET state = 'failed', due_at = NULL, settled_at = '2026-03-01T09:00:00.000Z'`
      yield* requestDeliveryRecovery(key, hook.id, { since: "2026-03-01T00:00:00.000Z" })
      yield* runWhileTimePasses(drain(limits))
      assert.lengthOf(yield* receivers.sent, 2)
      yield* removeWebhook(key, hook.id)
      const left = Effect.map(sql`SELECT 1 FROM deliveries`, ({ length }) => length)
      assert.strictEqual(yield* left, 1)
      yield* runWhileTimePasses(drain(limits))
      assert.strictEqual(yield* left, 0)
    }).pipe(Effect.provide(layer))
)

it.effect("concurrent drains run each job once", () =>
  Effect.gen(function* () {
    const { persona, submit } = yield* partner()
    const mailbox = yield* Mailbox
    for (let number = 0; number < 20; number++) yield* submit(`Who takes title number ${number}?`)
    const drained = yield* Effect.all([drain(limits), drain(limits), drain(limits)], { concurrency: "unbounded" })
    assert.strictEqual(
      drained.reduce((sum, { taken }) => sum + taken, 0),
      20
    )
    assert.strictEqual(new Set((yield* mailbox.to(persona.creator.email)).map((mail) => mail.id)).size, 20)
    assert.lengthOf(yield* mailbox.to(persona.creator.email), 20)
  }).pipe(Effect.provide(layer))
)

it.effect("a drain waits for work that becomes due within its lookahead, but not for later work", () =>
  Effect.gen(function* () {
    const { status, submit } = yield* partner("test")
    const id = yield* submit()
    assert.include(yield* runWhileTimePasses(drain(limits)), { failed: 0, isMoreDue: false })
    assert.strictEqual(yield* status(id), "creator_approved")

    const other = yield* submit("Who takes the title next season?")
    assert.include(yield* drain(seconds(40, 55, 0)), { isMoreDue: false })
    assert.notStrictEqual(yield* status(other), "creator_approved")
  }).pipe(Effect.provide(layer))
)

it.effect(
  "at its time limit a drain interrupts running jobs, which are due immediately and do not count the interrupted attempt",
  () =>
    Effect.gen(function* () {
      const { act, persona, submit } = yield* partner()
      const mailbox = yield* Mailbox
      yield* submit()
      yield* drain(limits)
      const [request] = yield* mailbox.to(persona.creator.email)
      yield* act(extractCreatorToken(request ?? assert.fail("no request")), "respond", {
        perspective: "They will win it."
      })
      const draining = yield* Effect.forkChild(drain(limits))
      yield* TestClock.adjust("50 seconds")
      assert.isUndefined(draining.pollUnsafe())
      yield* TestClock.adjust("5 seconds")
      assert.include(yield* Fiber.join(draining), { isMoreDue: true, failed: 0 })
      const assignments = yield* AssignmentStore
      const [due] = yield* assignments.due("live", Date.now(), 10)
      const found = Option.getOrThrow(yield* assignments.find(due?.ids[0] ?? assert.fail("nothing is due")))
      assert.deepInclude(found.assignment.generation, { running: false, attempts: 0 })
    }).pipe(
      Effect.provide(
        TestApi.layerMemory.pipe(
          Layer.provideMerge(
            Application.layer({
              outside: Layer.merge(
                Mailbox.layer,
                Layer.succeed(CommentaryGenerator, CommentaryGenerator.of({ generate: () => Effect.never }))
              )
            })
          )
        )
      )
    )
)

it.effect("a drain with a time limit of zero starts nothing and reports that work is due", () =>
  Effect.gen(function* () {
    const { submit } = yield* partner()
    yield* submit()
    assert.deepStrictEqual(yield* drain(seconds(0, 1)), { taken: 0, failed: 0, isMoreDue: true })
    assert.isTrue(Option.isSome(yield* (yield* MailStore).nextDue))
    assert.lengthOf(yield* (yield* Mailbox).all, 0)
  }).pipe(Effect.provide(layer))
)

it.effect("a drain reports a failed poll and still does its other work", () =>
  Effect.gen(function* () {
    const { submit } = yield* partner()
    yield* submit()
    const sql = yield* SqlClient.SqlClient
    yield* Effect.orDie(sql`ALTER TABLE deliveries RENAME TO deliveries_away`)
    const drained = yield* drain(limits)
    assert.isAbove(drained.failed, 0)
    assert.lengthOf(yield* (yield* Mailbox).all, 1)
  }).pipe(Effect.provide(layer))
)
