/**
 * Tests section 3 of the specification: the final states, and every row of the workflow table in the partner's and the
 * creator's view.
 */
import { assert, layer } from "@effect/vitest"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  type AssignmentState,
  bringAssignmentToState,
  getFirstPersona,
  layerOfServiceUnderTest,
  openCreatorLink,
  type SeededPartner,
  samplePerspective,
  seedPartner,
  submitTopicWithStates,
  waitForCreatorMails,
  waitForState
} from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"

/** Returns the only persona's entry in three views of the topic, and the statuses that the summary counts. */
const seen = Effect.fnUntraced(function* (by: SeededPartner, id: string) {
  const { personas, summary } = (yield* by.get(`/topics/${id}/status`)).body.data
  const detail = (yield* by.get(`/topics/${id}`)).body.data
  const ready = (yield* by.get(`/topics/${id}/commentaries`)).body.data.commentaries
  const { has_commentary, status } = personas[0]
  const counted = Object.keys(summary).filter((name) => name !== "total" && summary[name] > 0)
  return { status, has_commentary, counted, commentary: detail.commentaries[0].commentary, ready: ready.length }
})

const waiting = (status: string) => ({ status, has_commentary: false, counted: [status], commentary: null, ready: 0 })

layer(layerOfServiceUnderTest)("specification 3", (it) => {
  it.effect(
    "(start) → topic_sent: the topic is created, the persona is licensed and not a duplicate, and the creator gets an e-mail",
    () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id, personas } = yield* submitTopicWithStates(by, content, ["topic_sent"])
        assert.deepStrictEqual(yield* seen(by, id), waiting("topic_sent"))
        assert.strictEqual((yield* waitForCreatorMails(getFirstPersona(personas), content)).length, 1)
      })
  )

  it.effect("a persona that is unlicensed or a duplicate starts no assignment, and no creator is notified", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const [fresh, asked, foreign] = [
        yield* by.persona(),
        yield* by.persona(),
        yield* (yield* seedPartner()).persona()
      ]
      yield* by.submit(content, [asked])
      yield* waitForCreatorMails(asked, content)
      const { topic_id: id } = yield* by.submit(content, [fresh, asked, foreign])
      yield* waitForCreatorMails(fresh, content)
      const { personas } = (yield* by.get(`/topics/${id}/status`)).body.data
      assert.deepStrictEqual(
        personas.map(({ persona_id }: { readonly persona_id: string }) => persona_id),
        [fresh.id]
      )
      const mailbox = yield* Mailbox
      assert.strictEqual((yield* mailbox.to(asked.creator.email)).length, 1)
      assert.strictEqual((yield* mailbox.to(foreign.creator.email)).length, 0)
    })
  )

  it.effect("topic_sent → opinion_injected: the creator responds, and the automated generation runs", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const generator = yield* ScriptedGenerator
      const before = (yield* generator.requests).length
      const { id } = yield* submitTopicWithStates(by, content, ["opinion_injected"])
      assert.deepStrictEqual(yield* seen(by, id), waiting("opinion_injected"))
      const requests = (yield* generator.requests).slice(before)
      assert.deepStrictEqual(
        requests.map((request) => request.perspective),
        [samplePerspective]
      )
    })
  )

  it.effect(
    "opinion_injected → commentary_generated: the automated generation finishes, and the draft awaits the creator's approval",
    () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id, personas } = yield* submitTopicWithStates(by, content, ["opinion_injected"])
        const { act } = yield* openCreatorLink(getFirstPersona(personas), content)
        assert.strictEqual((yield* act("revise")).status, 200)
        yield* waitForState(by, id, getFirstPersona(personas), "commentary_generated")
        assert.deepStrictEqual(yield* seen(by, id), waiting("commentary_generated"))
      })
  )

  it.effect(
    "commentary_generated → creator_approved: the creator approves, has_commentary becomes true, and the commentary can be fetched",
    () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id, personas } = yield* submitTopicWithStates(by, content, ["commentary_generated"])
        yield* (yield* openCreatorLink(getFirstPersona(personas), content)).act("approve")
        const { commentary, ...rest } = yield* seen(by, id)
        assert.deepStrictEqual(rest, {
          status: "creator_approved",
          has_commentary: true,
          counted: ["creator_approved"],
          ready: 1
        })
        assert.include(commentary.content, samplePerspective)
      })
  )

  it.effect("topic_sent → declined: the creator declines, and the status is final", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* submitTopicWithStates(by, content, ["declined"])
      assert.deepStrictEqual(yield* seen(by, id), waiting("declined"))
    })
  )

  it.effect("topic_sent → expired: the creator does not respond in the allowed time, and the status is final", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* submitTopicWithStates(by, content, ["expired"])
      assert.deepStrictEqual(yield* seen(by, id), waiting("expired"))
    })
  )

  for (const state of ["creator_approved", "declined", "expired"] satisfies ReadonlyArray<AssignmentState>) {
    it.effect(`${state} is final`, () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id, personas } = yield* submitTopicWithStates(by, content, [state])
        const { act } = yield* openCreatorLink(getFirstPersona(personas), content)
        const before = yield* by.get(`/topics/${id}/status`)
        for (const [action, body] of [
          ["respond", { perspective: "Another view of the same thing." }],
          ["decline", { reason: "Another reason" }],
          ["approve", { content: "Another text altogether." }],
          ["revise", { instructions: "Shorter" }],
          ["withdraw", {}]
        ] as const)
          assert.strictEqual((yield* act(action, body)).status, 400, action)
        yield* TestClock.adjust("8 days")
        assert.strictEqual((yield* by.get(`/topics/${id}/status`)).text, before.text)
      })
    )
  }

  const others = [
    "topic_sent",
    "opinion_injected",
    "commentary_generated",
    "declined",
    "expired"
  ] satisfies ReadonlyArray<AssignmentState>
  for (const state of others) {
    it.effect(`only creator_approved has a commentary: ${state} has none`, () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id } = yield* submitTopicWithStates(by, content, [state])
        assert.deepStrictEqual(yield* seen(by, id), waiting(state))
      })
    )
  }

  const forbidden = [
    ["topic_sent", ["approve", "revise", "withdraw"]],
    ["opinion_injected", ["respond", "decline", "approve", "withdraw"]],
    ["commentary_generated", ["respond", "decline"]]
  ] as const
  for (const [state, actions] of forbidden) {
    it.effect(`the workflow has no transition from ${state} by ${actions.join(", ")}`, () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id, personas } = yield* submitTopicWithStates(by, content, [state])
        const { act } = yield* openCreatorLink(getFirstPersona(personas), content)
        for (const action of actions) {
          const { body, status } = yield* act(action, { perspective: "Another view of the same thing." })
          assert.deepStrictEqual([status, body.error.code], [400, "invalid_request"], action)
        }
        assert.deepStrictEqual(yield* seen(by, id), waiting(state))
      })
    )
  }

  const meanings = [
    ["topic_sent = waiting for creator", "topic_sent"],
    ["opinion_injected = creator added perspective, generation running", "opinion_injected"],
    ["commentary_generated = awaiting creator approval", "commentary_generated"],
    ["creator_approved = ready to fetch", "creator_approved"],
    ["declined = creator declined", "declined"],
    ["expired = creator did not respond in time", "expired"]
  ] as const
  for (const [sentence, state] of meanings) {
    it.effect(`the summary counts: ${sentence}`, () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id } = yield* submitTopicWithStates(by, content, [state, state])
        const none = {
          topic_sent: 0,
          opinion_injected: 0,
          commentary_generated: 0,
          creator_approved: 0,
          declined: 0,
          expired: 0
        }
        const { summary } = (yield* by.get(`/topics/${id}/status`)).body.data
        assert.deepStrictEqual(summary, { ...none, total: 2, [state]: 2 })
      })
    )
  }

  it.effect(
    "the topic-level status is pending, in_progress, partial or completed, and every view shows the same value",
    () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const [first, second] = [yield* by.persona(), yield* by.persona()]
        const { topic_id: id } = yield* by.submit(content, [first, second])
        const sent = { by, id, content }
        const statuses = Effect.gen(function* () {
          const detail = (yield* by.get(`/topics/${id}`)).body.data.status
          assert.strictEqual((yield* by.get(`/topics/${id}/status`)).body.data.overall_status, detail)
          assert.strictEqual((yield* by.get("/topics")).body.data[0].status, detail)
          return detail
        })
        assert.strictEqual(yield* statuses, "pending")
        yield* bringAssignmentToState(sent, first, "commentary_generated")
        assert.strictEqual(yield* statuses, "in_progress")
        yield* (yield* openCreatorLink(first, content)).act("approve")
        assert.strictEqual(yield* statuses, "partial")
        yield* bringAssignmentToState(sent, second, "creator_approved")
        assert.strictEqual(yield* statuses, "completed")
      })
  )

  it.effect("webhook status: the update operation accepts active and paused, and no other value", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const made = yield* by.post("/webhooks", { url: "https://receiver.example/", events: ["creator.approved"] })
      const path = `/webhooks/${made.body.data.id}`
      for (const status of ["paused", "active"]) {
        const { body } = yield* by.patch(path, { status })
        assert.strictEqual(body.data.status, status)
        assert.strictEqual((yield* by.get(path)).body.data.status, status)
      }
      const { body, status } = yield* by.patch(path, { status: "disabled" })
      assert.deepStrictEqual([status, body.error.details.field], [400, "status"])
      assert.strictEqual((yield* by.get(path)).body.data.status, "active")
    })
  )
})
