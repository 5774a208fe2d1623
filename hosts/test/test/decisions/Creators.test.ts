/**
 * Tests the documented decisions about creators: actions on a draft, late and repeated actions, and the permissions of
 * a link.
 */
import { assert, layer } from "@effect/vitest"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { extractCreatorToken } from "@partner-commentary/test/Mailbox"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  type ApiResponse,
  type AssignmentState,
  getFirstPersona,
  layerOfServiceUnderTest,
  openCreatorLink,
  samplePerspective,
  seedPartner,
  sendRequest,
  submitTopicWithStates,
  waitForCreatorMails
} from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"
const edited = "They will, and it will be close."

const refused = ({ body, status }: ApiResponse) => {
  assert.deepStrictEqual([status, body.error?.code], [400, "invalid_request"], JSON.stringify(body))
  return body.error.details
}
const accepted = ({ body, status }: ApiResponse) => {
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body.data
}

/** Seeds one assignment in the given state, with functions for the partner's view and the creator's actions. */
const one = Effect.fnUntraced(function* (state: AssignmentState) {
  const by = yield* seedPartner()
  const { id, personas } = yield* submitTopicWithStates(by, content, [state])
  const persona = getFirstPersona(personas)
  const { act, look, token } = yield* openCreatorLink(persona, content)
  const view = Effect.map(by.get(`/topics/${id}/status`), ({ text }) => text)
  const text = Effect.map(by.get(`/topics/${id}/commentaries`), ({ body }) => body.data.commentaries[0]?.content)
  /**
   * Requests another draft, and waits for the mail with that draft. Without this wait, the service could replace a
   * draft before it sends the draft's mail.
   */
  const revised = Effect.fnUntraced(function* (draft: { readonly id: string; readonly number: number }) {
    yield* waitForCreatorMails(persona, content, draft.number + 1)
    accepted(yield* act("revise", { draft_id: draft.id, instructions: `Shorter than ${draft.number}` }))
    yield* waitForCreatorMails(persona, content, draft.number + 2)
    return accepted(yield* look).draft as { readonly id: string; readonly number: number; readonly content: string }
  })
  const draft = Effect.map(look, ({ body }) => body.data.draft)
  return { by, id, persona, act, look, token, view, text, revised, draft }
})

/**
 * Maps each state to the actions that the service must refuse, because section 3 of the specification defines no
 * transition for these actions.
 */
const refusals: ReadonlyArray<readonly [AssignmentState, ReadonlyArray<string>]> = [
  ["topic_sent", ["approve", "revise", "withdraw"]],
  ["opinion_injected", ["respond", "decline", "approve", "withdraw"]],
  ["commentary_generated", ["respond", "decline"]],
  ["creator_approved", ["respond", "decline", "approve", "revise", "withdraw"]],
  ["declined", ["respond", "decline", "approve", "revise", "withdraw"]],
  ["withdrawn", ["respond", "decline", "approve", "revise", "withdraw"]]
]

layer(layerOfServiceUnderTest)("decisions, States: creators", (it) => {
  it.effect("a creator may request another draft in commentary_generated, and the status does not change", () =>
    Effect.gen(function* () {
      const { draft, revised, view } = yield* one("commentary_generated")
      const before = yield* view
      const second = yield* revised(yield* draft)
      assert.strictEqual(second.number, 2)
      assert.include(second.content, "Shorter than 1")
      assert.strictEqual(yield* view, before)
    })
  )

  it.effect("an assignment has at most 10 drafts", () =>
    Effect.gen(function* () {
      const { act, draft, revised } = yield* one("commentary_generated")
      let present = yield* draft
      while (present.number < 10) present = yield* revised(present)
      assert.strictEqual(
        refused(yield* act("revise", { draft_id: present.id, instructions: "One more" })).field,
        "action"
      )
      accepted(yield* act("approve", { draft_id: present.id }))
    })
  )

  it.effect("a creator may send an edited text with the approval, and this text becomes the commentary", () =>
    Effect.gen(function* () {
      const { act, text } = yield* one("commentary_generated")
      accepted(yield* act("approve", { content: edited }))
      assert.strictEqual(yield* text, edited)
    })
  )

  it.effect(
    "a creator's action must contain the id of the current draft, and the error for an older id contains the current id",
    () =>
      Effect.gen(function* () {
        const { act, draft, revised, text } = yield* one("commentary_generated")
        const first = yield* draft
        const second = yield* revised(first)
        for (const action of ["approve", "revise"]) {
          const { constraint, field } = refused(yield* act(action, { draft_id: first.id, instructions: "Other" }))
          assert.deepStrictEqual([field, constraint.includes(second.id)], ["draft_id", true])
        }
        assert.strictEqual(refused(yield* act("approve")).field, "draft_id")
        accepted(yield* act("approve", { draft_id: second.id }))
        assert.strictEqual(yield* text, second.content)
      })
  )

  for (const [state, actions] of refusals) {
    it.effect(
      `in ${state}, the actions ${actions.join(", ")} get 400 invalid_request with field action, and change nothing`,
      () =>
        Effect.gen(function* () {
          const { act, look, view } = yield* one(state)
          const [before, page] = [yield* view, (yield* look).text]
          for (const action of actions) {
            const body = {
              perspective: "Quite another view of it.",
              reason: "Other",
              content: "Other",
              instructions: "Other"
            }
            const { constraint, field } = refused(yield* act(action, body))
            assert.strictEqual(field, "action", action)
            assert.include(constraint, state === "withdrawn" ? "commentary_generated" : state, action)
          }
          assert.deepStrictEqual([yield* view, (yield* look).text], [before, page])
        })
    )
  }

  const races = [
    ["topic_sent", "respond", "decline"],
    ["commentary_generated", "approve", "withdraw"]
  ] as const
  for (const [state, ...actions] of races) {
    it.effect(`only one of two simultaneous actions succeeds: ${actions.join(" and ")}`, () =>
      Effect.gen(function* () {
        for (let round = 0; round < 3; round++) {
          const { act } = yield* one(state)
          const answers = yield* Effect.forEach(actions, (action) => act(action, { perspective: samplePerspective }), {
            concurrency: 2
          })
          assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
        }
      })
    )
  }

  const repeats = [
    ["topic_sent", "decline", { reason: "On holiday" }, { reason: "No time" }],
    ["commentary_generated", "approve", { content: edited }, { content: "Something else" }],
    ["commentary_generated", "withdraw", { reason: "Not mine" }, { reason: "No time" }]
  ] as const
  for (const [state, action, body, other] of repeats) {
    it.effect(
      `${action}: an action that is repeated with the same content returns the first response, and other content gets 400`,
      () =>
        Effect.gen(function* () {
          const { act, view } = yield* one(state)
          const first = yield* act(action, body)
          accepted(first)
          const after = yield* view
          assert.deepStrictEqual([(yield* act(action, body)).text, yield* view], [first.text, after])
          assert.strictEqual(refused(yield* act(action, other)).field, "action")
        })
    )
  }

  it.effect(
    "if respond is repeated, the same perspective returns the first result, and another perspective gets 400",
    () =>
      Effect.gen(function* () {
        const { act } = yield* one("opinion_injected")
        assert.strictEqual(
          accepted(yield* act("respond", { perspective: samplePerspective })).status,
          "opinion_injected"
        )
        assert.strictEqual(refused(yield* act("respond", { perspective: "Another view of it." })).field, "action")
      })
  )

  it.effect("creators' links are signed, and a token with another signature gets 404", () =>
    Effect.gen(function* () {
      const { token } = yield* one("topic_sent")
      const [payload = "", signature = ""] = token.split(".")
      const foreign = (yield* one("topic_sent")).token.split(".")
      const swapped = `${signature[0] === "A" ? "B" : "A"}${signature.slice(1)}`
      for (const forged of [
        `${payload}.${swapped}`,
        `${payload}.${foreign[1]}`,
        `${foreign[0]}.${signature}`,
        payload,
        `${payload}.`
      ])
        for (const [path, method] of [
          [`/creator/${forged}`, "GET"],
          [`/creator/${forged}/decline`, "POST"]
        ] as const)
          assert.strictEqual(
            (yield* sendRequest(path, { method, headers: { accept: "application/json" } })).status,
            404,
            path
          )
    })
  )

  it.effect(
    "a creator's link allows actions until the assignment is approved or failed, and reading for 30 more days",
    () =>
      Effect.gen(function* () {
        const { act, look } = yield* one("declined")
        yield* TestClock.adjust("2591999 seconds")
        assert.strictEqual(accepted(yield* look).status, "declined")
        refused(yield* act("respond", { perspective: samplePerspective }))
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* look).status, 404)
        assert.strictEqual((yield* act("decline")).status, 404)
      })
  )

  it.effect("a new e-mail address of a creator invalidates the links that were sent to the old address", () =>
    Effect.gen(function* () {
      const { act, look, persona, token } = yield* one("topic_sent")
      const email = `moved-${persona.creator.email}`
      yield* (yield* CreatorAdministration).changeEmail(persona.creator.email, email)
      assert.deepStrictEqual([(yield* look).status, (yield* act("decline")).status], [404, 404])
      const [mail] = yield* waitForCreatorMails({ ...persona, creator: { ...persona.creator, email } }, content)
      const link = extractCreatorToken(mail ?? { text: "" })
      assert.notStrictEqual(link, token)
      assert.strictEqual((yield* sendRequest(`/creator/${link}`)).status, 200)
    })
  )

  it.effect("the creator's pages have headers with the values no-referrer, no-store and noindex", () =>
    Effect.gen(function* () {
      const { token } = yield* one("topic_sent")
      for (const [path, status] of [
        [`/creator/${token}`, 200],
        ["/creator/a.b", 404],
        [`/creator/${token}/nothing`, 404]
      ] as const) {
        const page = yield* sendRequest(path)
        assert.strictEqual(page.status, status)
        assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
        const named = ["referrer-policy", "cache-control", "x-robots-tag"].map((name) => page.headers.get(name) ?? "")
        for (const [index, word] of ["no-referrer", "no-store", "noindex"].entries())
          assert.include(named[index] ?? "", word)
      }
    })
  )

  it.effect("a creator's link allows 60 requests a minute", () =>
    Effect.gen(function* () {
      const [{ look }, other] = [yield* one("topic_sent"), yield* one("topic_sent")]
      const answers = yield* Effect.forEach(Array.from({ length: 61 }), () => look)
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [...Array.from({ length: 60 }, () => 200), 429]
      )
      assert.strictEqual((yield* other.look).status, 200)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* look).status, 200)
    })
  )
})
