/**
 * Tests the validation of webhooks. One response lists every invalid field with its constraint, and nothing is stored.
 */

import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Effect from "effect/Effect"
import {
  createWebhook,
  exampleWebhookEvents,
  exampleWebhookUrl,
  getWebhook,
  patchWebhook,
  readReportedProblems,
  seedApiKey,
  unknownId
} from "../support/WebhookCalls.ts"

it.effect("the response to an invalid webhook body reports all its problems, each with a field and a constraint", () =>
  Effect.gen(function* () {
    const key = yield* seedApiKey
    const wrong = yield* createWebhook(key, {
      url: "https://u:p@example.com/",
      events: ["creator.approved", "x"],
      secret: "short"
    })
    assert.deepStrictEqual(readReportedProblems(wrong), [
      { field: "url", constraint: "must not hold a user name or a password: verify the signature instead" },
      {
        field: "events[1]",
        constraint: "must be creator.approved, partner.approved, commentary.failed, media.ready or topic.completed"
      },
      {
        field: "secret",
        constraint:
          "must be 32 to 256 printable ASCII characters, or whsec_ and 24 to 64 bytes in base64; leave it out, and one is made"
      }
    ])
    const empty = yield* createWebhook(key, {})
    assert.deepStrictEqual(readReportedProblems(empty), [
      { field: "url", constraint: "is required" },
      { field: "events", constraint: "is required" }
    ])
    const fieldsOf = (answer: Parameters<typeof readReportedProblems>[0]) =>
      readReportedProblems(answer).map(({ field }) => field)
    for (const bad of [
      "",
      "example.com",
      "ftp://example.com/",
      "https:example.com",
      "https://",
      "https://exa mple.com/",
      "https://example.com/#part",
      "https://example.com\\@evil.example/",
      "https://münchen.example/",
      "https://@example.com/",
      `https://example.com/${"a".repeat(2048)}`,
      7,
      null
    ]) {
      assert.deepStrictEqual(
        fieldsOf(yield* createWebhook(key, { url: bad, events: exampleWebhookEvents })),
        ["url"],
        String(bad)
      )
    }
    const repeated = Array.from({ length: 6 }, () => "creator.approved")
    for (const bad of [[], repeated.slice(0, 2), repeated, "creator.approved", null]) {
      assert.deepStrictEqual(
        fieldsOf(yield* createWebhook(key, { url: exampleWebhookUrl, events: bad })),
        ["events"],
        String(bad)
      )
    }
    for (const bad of ["x".repeat(31), "x".repeat(257), `${"x".repeat(32)}é`, `whsec_${"x".repeat(31)}`, null, 7]) {
      assert.deepStrictEqual(
        fieldsOf(yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents, secret: bad })),
        ["secret"],
        String(bad)
      )
    }
    assert.deepStrictEqual((yield* getWebhook(key)).body.data, [])
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the error for a URL with characters that RFC 3986 forbids says that they must be percent-encoded", () =>
  Effect.gen(function* () {
    const key = yield* seedApiKey
    for (const character of '"<>\\^`{|}') {
      const [problem] = readReportedProblems(
        yield* createWebhook(key, { url: `https://example.com/h?a=${character}`, events: exampleWebhookEvents })
      )
      assert.strictEqual(problem?.field, "url")
      assert.match(problem?.constraint ?? "", /characters such as .* percent-encoded$/, character)
      const url = `https://example.com/h?a=${encodeURIComponent(character)}`
      assert.strictEqual((yield* createWebhook(key, { url, events: exampleWebhookEvents })).status, 201)
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("an update may set the status of a webhook to active or paused only, and never changes the secret", () =>
  Effect.gen(function* () {
    const key = yield* seedApiKey
    const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
    assert.deepStrictEqual(readReportedProblems(yield* patchWebhook(key, id, { status: "disabled" })), [
      { field: "status", constraint: "must be active or paused" }
    ])
    assert.deepStrictEqual(readReportedProblems(yield* patchWebhook(key, id, { secret: "x".repeat(40), events: [] })), [
      {
        field: "secret",
        constraint: "must be left out, for it cannot be changed: POST …/rotate-secret replaces it"
      },
      { field: "events", constraint: "must name at least one event type" }
    ])
    assert.strictEqual((yield* patchWebhook(key, id, "{}")).status, 200)
    assert.strictEqual((yield* patchWebhook(key, id, "")).status, 400)
    assert.strictEqual((yield* patchWebhook(key, unknownId, {})).status, 404)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a webhook's host is checked at registration and at each change of the URL, and a refusal contains the reason",
  () =>
    Effect.gen(function* () {
      const key = yield* seedApiKey
      const receivers = yield* InMemoryWebhookReceivers
      const constraint = "must lead to a public address"
      yield* receivers.refuse("inside.example", constraint)
      const inside = "https://inside.example/"
      assert.deepStrictEqual(
        readReportedProblems(yield* createWebhook(key, { url: inside, events: exampleWebhookEvents })),
        [{ field: "url", constraint }]
      )
      assert.deepStrictEqual(
        readReportedProblems(yield* createWebhook(key, { url: "http://example.com/", events: exampleWebhookEvents })),
        [{ field: "url", constraint: "must be an https: address" }]
      )
      const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
      assert.deepStrictEqual(readReportedProblems(yield* patchWebhook(key, id, { url: inside })), [
        { field: "url", constraint }
      ])
      const before = (yield* receivers.checked).length
      yield* patchWebhook(key, id, { url: exampleWebhookUrl, status: "paused" })
      yield* patchWebhook(key, unknownId, { url: inside })
      assert.strictEqual((yield* receivers.checked).length, before)
      assert.strictEqual((yield* getWebhook(key, `/${id}`)).body.data.url, exampleWebhookUrl)
      assert.deepStrictEqual(yield* receivers.sent, [])
    }).pipe(Effect.provide(InMemory.layer))
)
