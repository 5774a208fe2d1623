/** Tests the documented decisions about the creator's deadlines, the reminders, and the number of draft attempts. */
import { assert, it } from "@effect/vitest"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import {
  type ApiResponse,
  type AssignmentState,
  getFirstPersona,
  layerOfServiceUnderTest,
  openCreatorLink,
  samplePerspective,
  seedPartner,
  submitTopicWithStates,
  waitForCreatorMails,
  waitForState
} from "../support/conformance/ServiceUnderTest.ts"
import { eventually } from "../support/Eventually.ts"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"

const content = "Will the Lakers make the play-offs?"

const refused = ({ body, status }: ApiResponse) => {
  assert.deepStrictEqual([status, body.error?.code], [400, "invalid_request"], JSON.stringify(body))
  return body.error.details
}

/**
 * Each test has its own service, because the clock, refused mails and failed attempts affect all tests on one service.
 */
const check = <A, E>(row: string, test: () => Effect.Effect<A, E, Layer.Success<typeof layerOfServiceUnderTest>>) =>
  it.effect(row, () => Effect.provide(test(), layerOfServiceUnderTest))

/** Seeds one assignment in the given state, with functions for the partner's view and the creator's actions. */
const one = Effect.fnUntraced(function* (state: AssignmentState) {
  const by = yield* seedPartner()
  const { id, personas } = yield* submitTopicWithStates(by, content, [state])
  const persona = getFirstPersona(personas)
  const { act, look } = yield* openCreatorLink(persona, content)
  const view = Effect.map(by.get(`/topics/${id}/status`), ({ body }) => ({
    overall: body.data.overall_status as string,
    status: body.data.personas[0].status as string,
    failure: body.data.personas[0].failure?.reason ?? null
  }))
  const settled = (reason: string) => waitForState(by, id, persona, reason)
  const expiresAt = Effect.map(look, ({ body }) => Date.parse(body.data.expires_at))
  return { by, id, persona, act, view, settled, expiresAt }
})

const lessASecond = (wait: Duration.Input) => Duration.millis(Duration.toMillis(Duration.fromInputUnsafe(wait)) - 1000)

/** Waits until all due mails are sent, and returns how many mails the creator has received in total. */
const count = (persona: Persona) =>
  Effect.gen(function* () {
    yield* waitUntilMailsProcessed
    return (yield* (yield* Mailbox).to(persona.creator.email)).length
  })

/** Checks that the creator has `before` mails one second before `wait` has passed, and one more mail a second later. */
const remindedAfter = Effect.fnUntraced(function* (persona: Persona, wait: Duration.Input, before: number) {
  yield* TestClock.adjust(lessASecond(wait))
  assert.strictEqual(yield* count(persona), before)
  yield* TestClock.adjust("1 second")
  yield* waitForCreatorMails(persona, content, before + 1)
  assert.strictEqual(yield* count(persona), before + 1)
})

check("a creator may respond until 48 hours after the request, and the assignment then expires", () =>
  Effect.gen(function* () {
    const [early, late] = [yield* one("topic_sent"), yield* one("topic_sent")]
    yield* TestClock.adjust(Duration.millis(48 * 3_600_000 - 1))
    assert.strictEqual((yield* late.view).status, "topic_sent")
    assert.strictEqual((yield* early.act("respond", { perspective: samplePerspective })).status, 200)
    yield* TestClock.adjust("1 millis")
    refused(yield* late.act("respond", { perspective: samplePerspective }))
    yield* late.settled("expired")
  })
)

check("a reminder is sent after half of the response window", () =>
  Effect.gen(function* () {
    const { persona } = yield* one("topic_sent")
    yield* remindedAfter(persona, "24 hours", 1)
  })
)

check("a failed draft is retried 1 minute, 10 minutes, 1 hour and 6 hours after the previous attempt", () =>
  Effect.gen(function* () {
    const { act, persona, view } = yield* one("topic_sent")
    const generator = yield* ScriptedGenerator
    const before = (yield* generator.requests).length
    yield* generator.failNext(...Array.from({ length: 5 }, () => ({ permanent: false })))
    yield* act("respond", { perspective: samplePerspective })
    const tried = (times: number) =>
      eventually(
        `attempt ${times}`,
        Effect.map(generator.requests, (requests) => requests.length - before === times)
      )
    yield* tried(1)
    for (const [index, delay] of (["1 minute", "10 minutes", "1 hour", "6 hours"] as const).entries()) {
      yield* view
      yield* TestClock.adjust(lessASecond(delay))
      yield* view
      yield* tried(index + 1)
      yield* TestClock.adjust("1 second")
      yield* tried(index + 2)
    }
    yield* waitForCreatorMails(persona, content, 2)
    assert.deepStrictEqual(yield* view, { overall: "in_progress", status: "opinion_injected", failure: null })
  })
)

check("after a permanent failure of the generator, the draft is not retried", () =>
  Effect.gen(function* () {
    const { persona } = yield* one("opinion_injected")
    const generator = yield* ScriptedGenerator
    const before = (yield* generator.requests).length
    yield* TestClock.adjust("23 hours")
    assert.strictEqual(yield* count(persona), 2)
    assert.strictEqual((yield* generator.requests).length, before)
  })
)

check(
  "for 24 hours after the last attempt at a draft, the creator may request another draft and the topic is in progress",
  () =>
    Effect.gen(function* () {
      const { act, by, id, persona, view } = yield* one("opinion_injected")
      yield* TestClock.adjust(lessASecond("24 hours"))
      assert.deepStrictEqual(yield* view, { overall: "in_progress", status: "opinion_injected", failure: null })
      assert.strictEqual((yield* act("revise")).status, 200)
      yield* waitForState(by, id, persona, "commentary_generated")
    })
)

check(
  "24 hours after the last attempt at a draft, the assignment fails, keeps opinion_injected and refuses actions",
  () =>
    Effect.gen(function* () {
      const { act, settled, view } = yield* one("opinion_injected")
      yield* TestClock.adjust("24 hours")
      yield* settled("generation_failed")
      for (const action of ["revise", "respond", "approve"])
        refused(yield* act(action, { perspective: "Another view." }))
      yield* TestClock.adjust("30 days")
      assert.deepStrictEqual(yield* view, {
        overall: "completed",
        status: "opinion_injected",
        failure: "generation_failed"
      })
    })
)

check("the approval window of 7 days starts again with each draft", () =>
  Effect.gen(function* () {
    const { act, expiresAt, settled, view } = yield* one("commentary_generated")
    const now = yield* Clock.currentTimeMillis
    assert.strictEqual((yield* expiresAt) - now, Duration.toMillis("7 days"))
    yield* TestClock.adjust("6 days")
    yield* act("revise", { instructions: "Shorter" })
    yield* eventually(
      "a new window",
      Effect.map(expiresAt, (at) => at === now + Duration.toMillis("13 days"))
    )
    yield* TestClock.adjust("6 days")
    assert.strictEqual((yield* view).failure, null)
    yield* TestClock.adjust("1 days")
    yield* settled("approval_timeout")
  })
)

check("approval reminders are sent after 50 % and 90 % of the approval window", () =>
  Effect.gen(function* () {
    const { persona } = yield* one("commentary_generated")
    yield* waitForCreatorMails(persona, content, 2)
    yield* remindedAfter(persona, "84 hours", 2)
    yield* remindedAfter(persona, Duration.hours(0.4 * 168), 3)
  })
)

for (const [name, state] of [
  ["a creator never approves", "approval_timeout"],
  ["a creator withdraws", "withdrawn"]
] as const) {
  check(`${name}: the assignment keeps commentary_generated, fails with ${state}, and refuses later actions`, () =>
    Effect.gen(function* () {
      const { act, view } = yield* one(state)
      assert.deepStrictEqual(yield* view, { overall: "completed", status: "commentary_generated", failure: state })
      for (const action of ["approve", "revise", "respond", "decline"])
        refused(yield* act(action, { perspective: "Another view of it.", instructions: "Shorter" }))
      assert.deepStrictEqual(yield* view, { overall: "completed", status: "commentary_generated", failure: state })
    })
  )
}

check("every action is refused at the deadline, even before a worker has expired the assignment", () =>
  Effect.gen(function* () {
    const { act, expiresAt, settled } = yield* one("commentary_generated")
    yield* TestClock.setTime(yield* expiresAt)
    for (const action of ["approve", "revise", "withdraw"]) refused(yield* act(action))
    yield* settled("approval_timeout")
  })
)

check("the response window starts when the mail server accepts the mail", () =>
  Effect.gen(function* () {
    const by = yield* seedPartner()
    const persona = yield* by.persona()
    const now = yield* Clock.currentTimeMillis
    yield* (yield* Mailbox).refuseNext({ permanent: false })
    yield* by.submit(content, [persona])
    assert.strictEqual(yield* count(persona), 0)
    yield* TestClock.adjust("1 minute")
    const { look } = yield* openCreatorLink(persona, content)
    const { body } = yield* look
    assert.strictEqual(Date.parse(body.data.expires_at) - now, Duration.toMillis("48 hours") + 60_000)
  })
)

check("if the mail is never sent, the response window starts 24 hours after the submission", () =>
  Effect.gen(function* () {
    const by = yield* seedPartner()
    const persona = yield* by.persona()
    yield* (yield* Mailbox).refuseNext({ permanent: true })
    const { topic_id: id } = yield* by.submit(content, [persona])
    yield* TestClock.adjust(lessASecond("72 hours"))
    assert.strictEqual((yield* waitForState(by, id, persona, "topic_sent")).failure, null)
    yield* TestClock.adjust("1 second")
    yield* waitForState(by, id, persona, "expired")
  })
)
