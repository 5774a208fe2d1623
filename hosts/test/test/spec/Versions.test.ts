/**
 * Tests section 9 of the specification: the guarantees for API version v1, its features, and the features that were
 * announced for later.
 */
import { readFileSync } from "node:fs"
import { assert } from "@effect/vitest"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import {
  actAsCreator,
  findCreatorToken,
  formatStatusAndCode,
  registerServiceTest,
  seedPartner,
  sendRequest,
  unknownId,
  validWebhookBody,
  waitForStatus
} from "../support/conformance/Dashboard.ts"
import { readJson } from "../support/Json.ts"

interface Operation {
  readonly deprecated?: boolean
  readonly responses: Readonly<Record<string, unknown>>
}

const operations = (description: { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }) =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, operation }))
  )

const served = Effect.gen(function* () {
  const { call } = yield* TestApi
  return operations(yield* Effect.flatMap(call("/openapi.json"), readJson))
})

registerServiceTest(
  "9.1 The version is part of the path: /partner/v1/",
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const { key } = yield* seedPartner()
    const met = (path: string) => Effect.map(call(path, { key }), ({ status }) => status)
    assert.strictEqual(yield* met("/partner/v1/usage"), 200)
    for (const path of ["/usage", "/v1/usage", "/partner/usage", "/partner/v2/usage", "/partner/V1/usage"]) {
      assert.strictEqual(yield* met(path), 404, path)
    }
    for (const { line } of yield* served) assert.match(line, /^[A-Z]+ \/partner\/v1\//)
  })
)

registerServiceTest(
  "9.2 Minor updates within a version are backwards compatible: every released operation still has its released response statuses",
  Effect.gen(function* () {
    const released = operations(JSON.parse(readFileSync("docs/openapi.released.json", "utf8")))
    const now = new Map((yield* served).map(({ line, operation }) => [line, operation]))
    assert.isNotEmpty(released)
    for (const { line, operation } of released) {
      assert.includeMembers(Object.keys(now.get(line)?.responses ?? {}), Object.keys(operation.responses), line)
    }
  })
)

registerServiceTest(
  "9.3 Deprecation is announced 6 months before removal: nothing is deprecated, and no response has a Deprecation or Sunset header",
  Effect.gen(function* () {
    const { key } = yield* seedPartner()
    assert.deepStrictEqual(
      (yield* served).filter(({ operation }) => operation.deprecated === true),
      []
    )
    for (const line of ["GET /topics", "GET /personas", "GET /usage", "GET /webhooks"]) {
      const { headers } = yield* sendRequest(line, { key })
      assert.deepStrictEqual([headers.get("deprecation"), headers.get("sunset")], [null, null])
    }
  })
)

registerServiceTest(
  "9.4 v1 has topics, personas, usage and API-key management endpoints",
  Effect.gen(function* () {
    const { key, token } = yield* seedPartner()
    for (const line of ["GET /topics", "GET /personas", "GET /usage"]) {
      assert.strictEqual(formatStatusAndCode(yield* sendRequest(line, { key })), "200")
    }
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /api-keys", { token })), "200")
  })
)

registerServiceTest(
  "9.4 v1 has API-key authentication, scope-based permissions and IP restriction",
  Effect.gen(function* () {
    const { createKey } = yield* seedPartner()
    const { full_key: key } = (yield* createKey({ scopes: ["topics:read"], ip_whitelist: ["203.0.113.7"] })).data
    const from = (address: string, line: string) => sendRequest(line, { key, headers: { "x-forwarded-for": address } })
    assert.strictEqual(formatStatusAndCode(yield* from("203.0.113.7", "GET /topics")), "200")
    assert.strictEqual(formatStatusAndCode(yield* from("203.0.113.7", "GET /usage")), "401 scope_denied")
    assert.strictEqual(formatStatusAndCode(yield* from("203.0.113.8", "GET /topics")), "401 ip_restricted")
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /topics")), "401 unauthorized")
  })
)

registerServiceTest(
  "9.5 Features that were announced for later are available: webhooks, bulk topic submission, performance-metric reporting",
  Effect.gen(function* () {
    const { key, persona } = yield* seedPartner()
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest("POST /webhooks", { key, body: validWebhookBody })),
      "201"
    )
    const topics = [{ content: "Will the cup be theirs again?", persona_ids: [persona.id] }]
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("POST /topics/bulk", { key, body: { topics } })), "200")
    assert.strictEqual(formatStatusAndCode(yield* sendRequest("GET /metrics/performance", { key })), "200")
    assert.strictEqual(
      formatStatusAndCode(yield* sendRequest(`POST /topics/${unknownId}/bulk`, { key, body: { topics } })),
      "404 not_found"
    )
  })
)

registerServiceTest(
  "9.5 Request values audio and video exist in output_types; audio_url and video_url are null or a URL",
  Effect.gen(function* () {
    const { key, persona, submit } = yield* seedPartner()
    const more = { output_types: ["text", "audio", "video"] }
    const { data } = yield* submit("Will the cup be theirs again?", { more })
    const token = yield* findCreatorToken(persona.creator.email)
    yield* actAsCreator(token, "respond", { perspective: "Theirs, by some distance." })
    yield* waitForStatus(key, data.topic_id, "commentary_generated")
    yield* actAsCreator(token, "approve")
    const detail = yield* sendRequest(`GET /topics/${data.topic_id}`, { key })
    const { audio_url, content, video_url } = detail.data.commentaries[0].commentary
    assert.isNotEmpty(content)
    for (const url of [audio_url, video_url]) assert.isTrue(url === null || URL.canParse(url))
  })
)
