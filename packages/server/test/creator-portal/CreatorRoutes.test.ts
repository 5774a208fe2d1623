import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import { layerWithoutServerSpans } from "../../src/creator-portal/CreatorRequest.ts"
import { makeCreatorPortalClient } from "./CreatorPortalClient.ts"
import {
  creatorLinkToken,
  creatorLinkUrl,
  inboxToken,
  tokenCausingBusyDatabase,
  tokenCausingDefect
} from "./FakeCreatorPortal.ts"
import * as Samples from "./Samples.ts"
import { makeUuid } from "./Samples.ts"

const { noonInMillis, perspective, topic } = Samples
const json = { accept: "application/json" }
const address = `/api/creator/${creatorLinkToken}`

describe("Views of creators' pages", () => {
  it.effect("a creator's page shows organization, topic, persona and deadline", () =>
    Effect.gen(function* () {
      const { look } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const { headers, status, text } = yield* look()
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
      for (const part of ["Touchline Daily", topic.content, "Jordan Vale", "Saturday 16 May 2026, 12:00 UTC"]) {
        assert.include(text.replaceAll("\u00a0", " "), part)
      }
      assert.include(text, `action="${address}/respond"`)
      assert.include(text, `action="${address}/desk"`)
    })
  )

  it.effect("a GET or HEAD request for a creator's page changes nothing in any state", () =>
    Effect.gen(function* () {
      for (const state of Object.values(Samples.assignmentsByState)) {
        const { call, look, state: kept } = yield* makeCreatorPortalClient(state)
        for (const headers of [{}, json]) assert.strictEqual((yield* look(headers)).status, 200)
        const head = yield* call(creatorLinkToken, { method: "HEAD" })
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.text, "")
        for (const action of ["respond", "decline", "approve", "revise", "withdraw", "desk"]) {
          for (const method of ["GET", "HEAD"]) {
            const { headers, status, text } = yield* call(`${creatorLinkToken}/${action}`, { method })
            assert.deepStrictEqual([status, headers.get("location"), text], [303, address, ""])
          }
          assert.strictEqual((yield* call(`${creatorLinkToken}/${action}`, { headers: json })).status, 404)
        }
        assert.strictEqual(kept.assignment, state)
        assert.strictEqual(kept.deskMails, 0)
      }
    })
  )

  it.effect("a program gets the creator's request as JSON in the success envelope", () =>
    Effect.gen(function* () {
      const { look } = yield* makeCreatorPortalClient(Samples.assignmentWithDraft)
      const { headers, json: body } = yield* look(json)
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.deepStrictEqual(body(), {
        success: true,
        data: {
          share_id: makeUuid(2),
          status: "commentary_generated",
          status_updated_at: "2026-05-14T12:00:00.000Z",
          organization: { name: "Touchline Daily" },
          persona: { id: makeUuid(4), name: "Jordan Vale", image_url: "https://images.example/jordan.png" },
          topic: { content: topic.content },
          perspective,
          draft: { id: makeUuid(11), content: Samples.draftText, number: 1, created_at: "2026-05-14T12:00:00.000Z" },
          generation: null,
          commentary: null,
          expires_at: "2026-05-21T12:00:00.000Z",
          failure: null
        }
      })
    })
  )

  it.effect("a creator's page is sent as HTML unless the client prefers JSON", () =>
    Effect.gen(function* () {
      const { look } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const type = (accept: string) => Effect.map(look({ accept }), ({ headers }) => headers.get("content-type"))
      assert.include(yield* type("text/html,application/xhtml+xml,*/*;q=0.8"), "text/html")
      assert.include(yield* type("*/*"), "text/html")
      assert.include(yield* type("application/json, text/html;q=0.5"), "application/json")
      assert.include(yield* type("application/json;q=0.1, text/html"), "text/html")
    })
  )

  it.effect("a creator's page offers no action after the deadline, even before the worker has stored the expiry", () =>
    Effect.gen(function* () {
      const { look } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      yield* TestClock.setTime(noonInMillis + 48 * Samples.hourInMillis)
      const { text } = yield* look()
      assert.include(text, "This request has expired")
      assert.notInclude(text, "/respond")
    })
  )

  it.effect("a creator's page reloads automatically only while the first draft is being generated", () =>
    Effect.gen(function* () {
      for (const [name, state] of Object.entries(Samples.assignmentsByState)) {
        const { look } = yield* makeCreatorPortalClient(state)
        assert.strictEqual((yield* look()).text.includes('http-equiv="refresh"'), name === "opinionInjected", name)
      }
    })
  )
})

describe("Invalid creator links", () => {
  it.effect("every invalid creator link returns the same page, whatever the reason", () =>
    Effect.gen(function* () {
      const { call } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const paths = [
        "",
        "nonsense",
        "a/b/c",
        `${creatorLinkToken}/unknown`,
        `${creatorLinkToken}/respond/more`,
        "%3Cb%3E",
        "x".repeat(1001)
      ]
      const answers = yield* Effect.forEach(paths, (path) => call(path))
      for (const { status, text } of answers) {
        assert.strictEqual(status, 404)
        assert.strictEqual(text, answers[0]!.text)
      }
    })
  )

  it.effect("an invalid creator link returns a 404 error envelope to programs, for every action and method", () =>
    Effect.gen(function* () {
      const { call } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      for (const path of ["nonsense", "nonsense/respond", "nonsense/desk", `${inboxToken}/respond`]) {
        const { json: body, status } = yield* call(path, { method: "POST", headers: json })
        assert.strictEqual(status, 404)
        assert.strictEqual(body().error.code, "not_found")
      }
      for (const method of ["PUT", "PATCH", "DELETE"]) {
        assert.strictEqual((yield* call(creatorLinkToken, { method, headers: json })).json().error.code, "not_found")
      }
    })
  )

  it.effect("an unknown action or method returns a JSON error that lists the valid actions", () =>
    Effect.gen(function* () {
      const { call } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      for (const [path, method] of [
        [creatorLinkToken, "PUT"],
        [creatorLinkToken, "POST"],
        [`${creatorLinkToken}/respond`, "GET"],
        [`${creatorLinkToken}/bogus`, "POST"],
        ["nonsense/bogus", "POST"]
      ] as const) {
        const { error } = (yield* call(path, { method, headers: json })).json()
        assert.strictEqual(error.code, "not_found")
        assert.match(
          error.message,
          /GET shows .* POST to its \/respond, .*\/withdraw, \/desk acts/,
          `${method} ${path}`
        )
      }
    })
  )
})

describe("Inbox of creators", () => {
  it.effect("the inbox lists open requests with their links, as an HTML page and as JSON", () =>
    Effect.gen(function* () {
      const { call } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const page = yield* call(inboxToken)
      assert.strictEqual(page.status, 200)
      assert.include(page.text, `href="${creatorLinkUrl}"`)
      assert.include(page.text, '<span class="status">1 open request</span>')
      assert.include(page.text, "<footer><p>The link to this page works for 15 minutes.")
      const { further, requests } = (yield* call(inboxToken, { headers: json })).json().data
      assert.strictEqual(further, 0)
      assert.strictEqual(requests[0].link, creatorLinkUrl)
      assert.strictEqual(requests[0].share_id, makeUuid(2))
    })
  )
})

describe("Responses of the creator routes", () => {
  it.effect("creator routes keep the link out of caches, search indexes, frames and referrers", () =>
    Effect.gen(function* () {
      const { call, form, look } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const answers = [
        yield* look(),
        yield* look(json),
        yield* call("nonsense"),
        yield* call(tokenCausingDefect),
        yield* call(tokenCausingDefect, { headers: json }),
        yield* form("respond"),
        yield* form("desk")
      ]
      for (const { headers } of answers) {
        assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
        assert.strictEqual(headers.get("cache-control"), "no-store")
        assert.strictEqual(headers.get("x-robots-tag"), "noindex, nofollow")
        assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
        assert.strictEqual(headers.get("x-frame-options"), "DENY")
        assert.match(headers.get("content-security-policy")!, /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; /)
      }
    })
  )

  it.effect("a creator link is limited to 60 requests a minute, for HTML and JSON together", () =>
    Effect.gen(function* () {
      const { call, look } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      for (let count = 0; count < 60; count++) assert.strictEqual((yield* look()).status, 200)
      yield* TestClock.adjust("18 seconds")
      const page = yield* look()
      assert.strictEqual(page.status, 429)
      assert.strictEqual(page.headers.get("retry-after"), "42")
      const refused = yield* look(json)
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers.get("retry-after"), "42")
      assert.deepStrictEqual(refused.json().error.details, { retry_after: 42, limit: 60, remaining: 0 })
      assert.strictEqual((yield* call(inboxToken)).status, 200, "another link")
      yield* TestClock.adjust("42 seconds")
      assert.strictEqual((yield* look()).status, 200)
    })
  )

  it.effect("a browser gets an HTML page even after an internal error", () =>
    Effect.gen(function* () {
      const { call } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const { status, text } = yield* call(tokenCausingDefect)
      assert.strictEqual(status, 500)
      assert.include(text, "Something went wrong on our side")
      assert.notInclude(text, "lost database")
    }).pipe(Effect.provide(Logger.layer([])))
  )

  it.effect("a creator's page has status 503 and Retry-After when no database connection was free", () =>
    Effect.gen(function* () {
      const { call } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      const { headers, status, text } = yield* call(tokenCausingBusyDatabase)
      assert.strictEqual(status, 503)
      assert.strictEqual(headers.get("retry-after"), "1")
      assert.include(text, "The server is busy")
    }).pipe(Effect.provide(Logger.layer([])))
  )

  it.effect("logs and traces of the creator routes contain the route, never the token", () => {
    const seen: Array<string> = []
    const logger = Logger.make(({ fiber, message }) => {
      seen.push(JSON.stringify([message, fiber.getRef(References.CurrentLogAnnotations)]))
    })
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        const end = span.end.bind(span)
        span.end = (...args) => {
          seen.push(JSON.stringify([span.name, [...span.attributes]]))
          end(...args)
        }
        return span
      }
    })
    return Effect.gen(function* () {
      const { form, look } = yield* makeCreatorPortalClient(Samples.assignmentAwaitingPerspective)
      yield* look()
      yield* form("respond", { perspective })
      assert.isTrue(seen.some((line) => line.includes("POST /creator/:token/respond")))
      assert.isTrue(seen.some((line) => line.includes('"route":"/creator/:token/respond"')))
      for (const line of seen) assert.notInclude(line, "xxxx")
    }).pipe(
      Effect.provide([Logger.layer([logger]), layerWithoutServerSpans]),
      Effect.provideService(References.MinimumLogLevel, "Debug"),
      Effect.withTracer(tracer)
    )
  })
})
