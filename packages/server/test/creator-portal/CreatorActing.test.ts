import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import { makeCreatorPortalClient } from "./CreatorPortalClient.ts"
import { creatorLinkToken } from "./FakeCreatorPortal.ts"
import * as Samples from "./Samples.ts"
import { makeUuid } from "./Samples.ts"

const { noonInMillis, perspective } = Samples
const json = { accept: "application/json" }
const address = `/api/creator/${creatorLinkToken}`

describe("Form actions of creators", () => {
  it.effect("every form action redirects to the page with status 303", () =>
    Effect.gen(function* () {
      const draft_id = makeUuid(11)
      const cases = [
        [Samples.assignmentAwaitingPerspective, "respond", { perspective }, "opinion_injected"],
        [Samples.assignmentAwaitingPerspective, "decline", { reason: "" }, "declined"],
        [Samples.assignmentWithDraft, "approve", { draft_id }, "creator_approved"],
        [Samples.assignmentWithDraft, "approve", { draft_id, content: "Edited." }, "creator_approved"],
        [Samples.assignmentWithDraft, "revise", { draft_id, instructions: "Shorter." }, "commentary_generated"],
        [Samples.assignmentWithDraft, "withdraw", { reason: "No." }, "commentary_generated"]
      ] as const
      for (const [before, action, fields, after] of cases) {
        const { form, state } = yield* makeCreatorPortalClient(before)
        const { headers, status } = yield* form(action, fields)
        assert.strictEqual(status, 303)
        assert.strictEqual(headers.get("location"), address)
        assert.strictEqual(state.assignment.status, after)
        assert.strictEqual(state.writes, 1)
        assert.strictEqual((yield* form(action, fields)).status, 303, `${action} again`)
        assert.strictEqual(state.writes, 1)
      }
    })
  )

  it.effect("a body with more than 100 fields is refused before its fields are read", () =>
    Effect.gen(function* () {
      const { form, send, state } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const further = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field${index}`, "x"]))
      assert.strictEqual((yield* form("respond", { ...further, perspective })).status, 400)
      const asJson = yield* send("respond", { ...further, perspective })
      assert.strictEqual(asJson.status, 400)
      assert.include(asJson.text, "must have at most 100 fields")
      assert.strictEqual(state.writes, 0)
    })
  )

  it.effect("a form action restarts draft generation after a failed generation", () =>
    Effect.gen(function* () {
      const { form, look, state } = yield* makeCreatorPortalClient(Samples.assignmentWithExhaustedAttempts)
      assert.include((yield* look()).text, "Start again")
      for (const time of ["once", "again"]) assert.strictEqual((yield* form("revise")).status, 303, time)
      assert.strictEqual(state.writes, 1)
      assert.strictEqual(state.assignment.generation.nextAt, noonInMillis)
      assert.include((yield* look()).text, "Your draft is being written")
    })
  )

  it.effect("a rejected form action shows the error beside the field with the entered text", () =>
    Effect.gen(function* () {
      const { form, state } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const { status, text } = yield* form("respond", { perspective: "<b>No</b>" })
      assert.strictEqual(status, 400)
      assert.strictEqual(state.writes, 0)
      assert.include(text, "Please write 10 to 5000 characters; now there are 9.")
      assert.include(text, '<a href="#respond-perspective">')
      assert.include(text, 'id="respond-perspective-error"')
      assert.match(
        text,
        /<textarea id="respond-perspective"[^>]*aria-invalid="true"[^>]*>\n&#60;b&#62;No&#60;\/b&#62;<\/textarea>/
      )
    })
  )

  it.effect(
    "a form action on a replaced draft shows the newer draft with an explanation, and keeps the entered text",
    () =>
      Effect.gen(function* () {
        const { form } = yield* makeCreatorPortalClient(Samples.assignmentWithSecondDraft)
        const { status, text } = yield* form("approve", { draft_id: makeUuid(11), content: "My edit." })
        assert.strictEqual(status, 400)
        assert.include(text, "A newer draft has arrived: it is number 2")
        assert.include(text, Samples.assignmentWithSecondDraft.draft!.content.split("\n")[0]!)
        assert.match(text, /<textarea id="approve-content"[^>]*>\nMy edit\.</)
        assert.include(text, '<a href="#draft">A newer draft')
        assert.include(text, '<a href="#approve-content">What you wrote</a> is kept in its field')
        assert.match(text, /id="approve-content-hint"><strong>You wrote this for an older draft, not for draft 2\./)
        assert.include(text, `value="${makeUuid(12)}"`)
        const asked = yield* form("revise", { draft_id: makeUuid(11), instructions: "Longer." })
        assert.match(asked.text, /id="revise-instructions-hint"><strong>You wrote this for an older draft/)
        assert.notInclude((yield* form("approve", { draft_id: makeUuid(11) })).text, "You wrote this")
      })
  )

  it.effect("a rejected form action shows the entered text even when the page no longer has a field for the text", () =>
    Effect.gen(function* () {
      const { form } = yield* makeCreatorPortalClient(Samples.expiredAssignment)
      const { status, text } = yield* form("respond", { perspective })
      assert.strictEqual(status, 400)
      assert.include(text, "This request has expired.")
      assert.include(text, "ninety seconds of nobody knowing")
      const { form: send } = yield* makeCreatorPortalClient(Samples.assignmentWithRequestedRevision)
      const content = "x".repeat(5001)
      const edited = yield* send("approve", { draft_id: makeUuid(11), content })
      assert.strictEqual(edited.status, 400)
      assert.include(edited.text, `What you wrote</h2>`)
      assert.include(edited.text, content)
    })
  )

  it.effect("a form action mails the inbox link, and the page confirms the mail", () =>
    Effect.gen(function* () {
      const { call, form, state } = yield* makeCreatorPortalClient(Samples.declinedAssignment)
      const { headers, status } = yield* form("desk")
      assert.strictEqual(status, 303)
      assert.strictEqual(headers.get("location"), `${address}?said=desk`)
      assert.strictEqual(state.deskMails, 1)
      const { text } = yield* call(`${creatorLinkToken}?said=desk`)
      assert.match(
        text,
        /<main>\s*<div class="said" role="status">\s*<h2>A link to all your open requests is on its way/
      )
      assert.notInclude(text, "/desk")
      assert.notInclude((yield* call(`${creatorLinkToken}?said=anything`)).text, 'role="status"')
    })
  )

  it.effect("the inbox confirmation opens in a new tab exactly when the page has text fields", () =>
    Effect.gen(function* () {
      for (const [name, state] of Object.entries(Samples.assignmentsByState)) {
        const { look } = yield* makeCreatorPortalClient(state)
        const { text } = yield* look()
        assert.strictEqual(text.includes('/desk" target="_blank"'), text.includes("<textarea"), name)
      }
    })
  )

  it.effect("an automatic reload of the page does not repeat the inbox confirmation", () =>
    Effect.gen(function* () {
      const { call } = yield* makeCreatorPortalClient(Samples.assignmentWithPerspective)
      assert.include(
        (yield* call(`${creatorLinkToken}?said=desk`)).text,
        `http-equiv="refresh" content="30;url=${address}"`
      )
    })
  )
})

describe("JSON actions of creators", () => {
  it.effect("a JSON action returns the changed request in the same form as GET", () =>
    Effect.gen(function* () {
      const { look, send } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const acted = yield* send("respond", { perspective, unknown: 1 })
      assert.strictEqual(acted.status, 200)
      assert.strictEqual(acted.json().data.status, "opinion_injected")
      assert.strictEqual(acted.json().data.expires_at, null)
      assert.deepStrictEqual(acted.json(), (yield* look(json)).json())
    })
  )

  it.effect("a JSON action accepts a form body when the client prefers JSON", () =>
    Effect.gen(function* () {
      const { form } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      assert.strictEqual((yield* form("decline", {}, json)).json().data.failure.reason, "declined")
    })
  )

  it.effect("a JSON approval without content, with null or without a body approves the unchanged draft", () =>
    Effect.gen(function* () {
      for (const body of [{}, { content: null, draft_id: null }]) {
        const { send } = yield* makeCreatorPortalClient(Samples.assignmentWithDraft)
        assert.strictEqual((yield* send("approve", body)).json().data.commentary.content, Samples.draftText)
      }
      const { call } = yield* makeCreatorPortalClient(Samples.assignmentWithDraft)
      const { json: body } = yield* call(`${creatorLinkToken}/approve`, { method: "POST", headers: json })
      assert.strictEqual(body().data.status, "creator_approved")
    })
  )

  it.effect("the response to a rejected JSON action states the problem and the present state of the request", () =>
    Effect.gen(function* () {
      const cases = [
        [Samples.assignmentAwaitingPerspective, "respond", {}, "perspective", "must have 10 to 5000 characters, not 0"],
        [Samples.assignmentAwaitingPerspective, "respond", { perspective: 7 }, "perspective", "must be a string"],
        [Samples.assignmentAwaitingPerspective, "respond", [], "body", "must be a JSON object"],
        [
          Samples.assignmentAwaitingPerspective,
          "decline",
          { reason: "x".repeat(1001) },
          "reason",
          "must have at most 1000 characters"
        ],
        [Samples.assignmentAwaitingPerspective, "approve", {}, "action", "present status is topic_sent"],
        [Samples.assignmentAwaitingPerspective, "withdraw", {}, "action", "present status is topic_sent"],
        [Samples.approvedAssignment, "decline", {}, "action", "present status is creator_approved"],
        [Samples.declinedAssignment, "respond", { perspective }, "action", "present status is declined"],
        [Samples.withdrawnAssignment, "approve", {}, "action", "closed in commentary_generated (withdrawn)"],
        [
          Samples.assignmentWithRequestedRevision,
          "revise",
          { draft_id: makeUuid(11) },
          "action",
          "in commentary_generated, another draft"
        ],
        [Samples.assignmentWithLastDraft, "revise", { draft_id: makeUuid(20) }, "action", "draft 10 is the last one"],
        [Samples.assignmentWithSecondDraft, "approve", {}, "draft_id", makeUuid(12)],
        [Samples.assignmentWithSecondDraft, "approve", { draft_id: makeUuid(11) }, "draft_id", makeUuid(12)],
        [Samples.assignmentWithSecondDraft, "revise", { draft_id: "2" }, "draft_id", "must be a UUID"],
        [Samples.assignmentWithDraft, "approve", { content: " " }, "content", "must have 1 to 5000 characters, not 0"]
      ] as const
      for (const [before, action, body, field, constraint] of cases) {
        const { send, state } = yield* makeCreatorPortalClient(before)
        const { json: answer, status } = yield* send(action, body)
        assert.strictEqual(status, 400)
        const { code, details } = answer().error
        assert.strictEqual(code, "invalid_request")
        assert.strictEqual(details.field, field)
        assert.include(details.constraint, constraint)
        assert.strictEqual(details.errors.length, 1)
        assert.strictEqual(state.writes, 0)
      }
    })
  )

  it.effect("a JSON action is rejected after the deadline even before the worker has stored the expiry", () =>
    Effect.gen(function* () {
      const { send } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      yield* TestClock.setTime(noonInMillis + 48 * Samples.hourInMillis)
      const { details } = (yield* send("respond", { perspective })).json().error
      assert.strictEqual(details.field, "action")
      assert.include(details.constraint, "too late")
    })
  )

  it.effect("a JSON action with an unreadable body is rejected", () =>
    Effect.gen(function* () {
      const { call } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const problem = (body: string | Uint8Array<ArrayBuffer>, type: string) =>
        Effect.map(
          call(`${creatorLinkToken}/respond`, { method: "POST", body, headers: { "content-type": type, ...json } }),
          ({ json: answer, status }) => [status, answer().error.details.field]
        )
      assert.deepStrictEqual(yield* problem("{", "application/json"), [400, "body"])
      assert.deepStrictEqual(yield* problem("perspective", "text/plain"), [400, "content-type"])
      const large = "x".repeat(256 * 1024)
      assert.deepStrictEqual(yield* problem(JSON.stringify({ perspective: large }), "application/json"), [400, "body"])
      const asForm = yield* problem(`perspective=${large}`, "application/x-www-form-urlencoded")
      assert.deepStrictEqual(asForm, [400, "body"])
      const fits = yield* problem(`perspective=${"x".repeat(5001)}`, "application/x-www-form-urlencoded")
      assert.deepStrictEqual(fits, [400, "perspective"])
    })
  )

  it.effect("a browser's action with a too long or unreadable body gets a page that explains the problem", () =>
    Effect.gen(function* () {
      const { call, form } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const { status, text } = yield* form("respond", { perspective: "x".repeat(256 * 1024) })
      assert.strictEqual(status, 400)
      assert.include(text, "That was too long to be read.")
      const other = yield* call(`${creatorLinkToken}/respond`, {
        method: "POST",
        body: "x",
        headers: { "content-type": "text/plain" }
      })
      assert.include(other.text, "That could not be read.")
    })
  )

  it.effect("a JSON action rejects ambiguous, compressed and non-UTF-8 bodies, as the partner API does", () =>
    Effect.gen(function* () {
      const { call, state } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const good = JSON.stringify({ perspective })
      const bytes = new TextEncoder().encode(good)
      bytes[bytes.indexOf(0x20)] = 0xff
      const type = "application/json"
      const cases = [
        [good, { "content-type": `${type}; charset=iso-8859-1` }, "content-type"],
        [good, { "content-type": type, "content-encoding": "gzip" }, "content-encoding"],
        [bytes, { "content-type": type }, "body"],
        [`{"perspective": "a", "perspective": "b"}`, { "content-type": type }, "perspective"],
        [`{"perspective": "\\ud800"}`, { "content-type": type }, "perspective"]
      ] as const
      for (const [body, headers, field] of cases) {
        const { json: answer, status } = yield* call(`${creatorLinkToken}/respond`, { method: "POST", body, headers })
        assert.deepStrictEqual([status, answer().error.details.field], [400, field])
      }
      assert.strictEqual(state.writes, 0)
    })
  )

  it.effect("a JSON action ignores unknown fields and their values", () =>
    Effect.gen(function* () {
      const { call } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const body = `{"later": 1e999, "later": "\\ud800", "perspective": ${JSON.stringify(perspective)}}`
      const headers = { "content-type": 'application/json; charset="UTF-8"', "content-encoding": "identity" }
      assert.strictEqual((yield* call(`${creatorLinkToken}/respond`, { method: "POST", body, headers })).status, 200)
    })
  )
})
