/**
 * Tests the documented decisions about requests: success statuses, unknown fields, the format of errors, and request
 * ids.
 */
import { assert, layer } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { makeOperationExamples } from "../support/conformance/Operations.ts"
import {
  type ApiResponse,
  layerOfServiceUnderTest,
  seedPartner,
  sendRequest
} from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"

const refusal = ({ body, status }: ApiResponse) => [status, body?.error?.code, body?.error?.details?.field]

/** Seeds a partner, and returns a function that sends a text as the request body. */
const setUp = Effect.gen(function* () {
  const by = yield* seedPartner()
  const { id } = yield* by.persona()
  const send = (text: string, type = "application/json", path = "/topics") =>
    by.post(path, text, { headers: { "content-type": type } })
  const good = { content, persona_ids: [id] }
  return { by, send, good }
})

layer(layerOfServiceUnderTest)("decisions, Contract: requests", (it) => {
  it.effect(
    "POST /topics, /api-keys, /api-keys/{id}/rotate and /webhooks return 201, and all other operations return 200",
    () =>
      Effect.gen(function* () {
        const made = ["POST /topics", "POST /api-keys", "POST /api-keys/{id}/rotate", "POST /webhooks"]
        const seen: Array<string> = []
        for (const { accepted, name } of yield* makeOperationExamples) {
          const { headers, status } = yield* accepted
          assert.strictEqual(status, made.includes(name) ? 201 : 200, name)
          assert.strictEqual(headers.has("location"), made.includes(name), name)
          if (status === 201) seen.push(name)
        }
        assert.sameMembers(seen, made)
      })
  )

  it.effect("a 201 response contains the Location of the created resource", () =>
    Effect.gen(function* () {
      const { by, good } = yield* setUp
      const token = yield* Seed.issueDashboardToken(by.organization)
      const webhook = { url: "https://receiver.example/", events: ["creator.approved"] }
      const key = { name: "Backend", scopes: ["topics:read"] }
      const at = (path: string, body: unknown, who: object) =>
        sendRequest(`/partner/v1${path}`, { method: "POST", body, ...who })
      const made = yield* at("/api-keys", key, { token })
      for (const [answer, who] of [
        [yield* at("/topics", good, { key: by.key }), { key: by.key }],
        [yield* at("/webhooks", webhook, { key: by.key }), { key: by.key }],
        [made, { token }],
        [yield* at(`/api-keys/${made.body.data.id}/rotate`, {}, { token }), { token }]
      ] as const) {
        const location = answer.headers.get("location") ?? ""
        const { body, status } = yield* sendRequest(location, who)
        assert.strictEqual(status, 200, location)
        const id = answer.body.data.topic_id ?? answer.body.data.id
        assert.strictEqual(body.data.topic_id ?? body.data.id, id, location)
      }
    })
  )

  it.effect("the operation GET /api-keys/{id} returns one key", () =>
    Effect.gen(function* () {
      const { keyId, organization } = yield* seedPartner()
      const token = yield* Seed.issueDashboardToken(organization)
      const { body, status } = yield* sendRequest(`/partner/v1/api-keys/${keyId}`, { token })
      assert.deepStrictEqual([status, body.data.id], [200, keyId])
    })
  )

  it.effect("unknown fields in a body and unknown query parameters are ignored", () =>
    Effect.gen(function* () {
      const { by, good } = yield* setUp
      const more = { ...good, priority: "high", topic_id: "x", status: { a: [1] }, created_at: null }
      assert.strictEqual((yield* by.post("/topics?debug=1&limit=0", more)).status, 201)
      for (const path of ["/topics?page=2&sort=asc", "/personas?limit=x", "/usage?status=x"])
        assert.strictEqual((yield* by.get(path)).status, 200, path)
    })
  )

  it.effect("an unknown path or a wrong method gets 404 not_found in the standard error body, as JSON", () =>
    Effect.gen(function* () {
      const { key } = yield* seedPartner()
      for (const [method, path] of [
        ["GET", "/partner/v1/nothing"],
        ["GET", "/partner/v1"],
        ["GET", "/partner/v1/topics/"],
        ["GET", "/partner/v1/topics/?limit=1"],
        ["GET", "/partner/v1/topics//status"],
        ["DELETE", "/partner/v1/webhooks/"],
        ["GET", "/partner/v1/personas/"],
        ["GET", "/nothing"],
        ["DELETE", "/partner/v1/topics"],
        ["PUT", "/partner/v1/webhooks"],
        ["PATCH", "/partner/v1/personas"],
        ["POST", "/partner/v1/usage"],
        ["OPTIONS", "/partner/v1/topics"]
      ] as const)
        for (const who of [{ key }, {}]) {
          const answer = yield* sendRequest(path, { method, ...who })
          assert.deepStrictEqual(refusal(answer), [404, "not_found", undefined], `${method} ${path}`)
          assert.strictEqual(answer.headers.get("content-type"), "application/json")
          assert.strictEqual(answer.body.success, false)
        }
    })
  )

  it.effect("the details of invalid_request contain the first problem, and details.errors lists all problems", () =>
    Effect.gen(function* () {
      const { by, good } = yield* setUp
      const { body } = yield* by.post("/topics", {
        content: "short",
        persona_ids: [good.persona_ids[0], "x", 1],
        external_reference: "a b",
        output_types: ["smoke"],
        metadata: []
      })
      const { constraint, errors, field, ...rest } = body.error.details
      assert.deepStrictEqual(rest, {})
      assert.deepStrictEqual(errors[0], { field, constraint })
      assert.deepStrictEqual(
        errors.map((problem: { readonly field: string }) => problem.field),
        ["content", "persona_ids[1]", "persona_ids[2]", "external_reference", "output_types[0]", "metadata"]
      )
    })
  )

  it.effect("the field of a problem is a path such as persona_ids[2], and the constraint describes a valid value", () =>
    Effect.gen(function* () {
      const { by, good } = yield* setUp
      const [id] = good.persona_ids
      const { details } = (yield* by.post("/topics", { content, persona_ids: [id, id, "x"] })).body.error
      assert.strictEqual(details.field, "persona_ids[2]")
      for (const wrong of [{}, { content: 1, persona_ids: 1 }, { ...good, content: "x" }, { ...good, metadata: 1 }])
        for (const { constraint } of (yield* by.post("/topics", wrong)).body.error.details.errors)
          assert.match(constraint, /^(must|is required)/)
    })
  )

  it.effect("a list with repeated values that is too long has one problem", () =>
    Effect.gen(function* () {
      const { by, good } = yield* setUp
      const output_types = ["text", "audio", "video", "text"]
      assert.deepStrictEqual((yield* by.post("/topics", { ...good, output_types })).body.error.details.errors, [
        { field: "output_types", constraint: "must name each output type once at most" }
      ])
    })
  )

  it.effect("every response contains X-Request-Id", () =>
    Effect.gen(function* () {
      for (const { accepted, name, refused, unauthorized } of yield* makeOperationExamples)
        for (const { headers } of [yield* accepted, yield* refused, yield* unauthorized])
          assert.match(headers.get("x-request-id") ?? "", /^[\w.:-]{1,128}$/, name)
      for (const path of ["/", "/partner/v1/nothing", "/openapi.json", "/docs", "/healthz", "/creator/x"])
        assert.match((yield* sendRequest(path)).headers.get("x-request-id") ?? "", /^[\w.:-]{1,128}$/, path)
    })
  )

  it.effect("the response has the caller's X-Request-Id if this id is valid", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const answered = (sent: string) =>
        Effect.map(by.get("/topics", { headers: { "x-request-id": sent } }), ({ headers }) =>
          headers.get("x-request-id")
        )
      for (const sane of ["a", "req_01:a.b-c", "x".repeat(128)]) assert.strictEqual(yield* answered(sane), sane)
      for (const insane of ["a b", "<script>", "x".repeat(129), "é", "a,b"])
        assert.notStrictEqual(yield* answered(insane), insane)
    })
  )

  // This test comes last because it renames a table of the database.
  it.effect("a 500 response contains the request id in the message, and reveals no detail of the failure", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      assert.strictEqual((yield* by.get("/topics")).status, 200)
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE topics RENAME TO gone`
      const answer = yield* by.get("/topics", { headers: { "x-request-id": "mine-17" } })
      assert.deepStrictEqual(refusal(answer), [500, "internal_error", undefined])
      assert.strictEqual(answer.headers.get("x-request-id"), "mine-17")
      assert.include(answer.body.error.message, "mine-17")
      assert.notMatch(answer.text, /sql|table|topics|gone|stack|\.ts/i)
    })
  )
})
