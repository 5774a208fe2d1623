/** Tests the requests of each operation, and the escaping of ids. */
import {
  PartnerCommentary,
  PartnerCommentaryDashboard,
  PartnerCommentaryError,
  type ResponseInfo
} from "@partner-commentary/client"
import { expect, it } from "vitest"
import { catchRejection, makeScriptedService, makeSuccessResponse, testApiKey } from "./ScriptedService.ts"

const { asked, client } = makeScriptedService([makeSuccessResponse({})])
const token = "header.payload.signature"
const dashboard = new PartnerCommentaryDashboard({
  token,
  baseUrl: "https://api.example/partner/v1/",
  fetch: async (url, init) => {
    asked.push({ url, init: init as (typeof asked)[number]["init"], at: 0 })
    return Response.json({ success: true, data: {} })
  }
})
const topic = { content: "Who wins the derby?", persona_ids: ["a"] }
const hook = { url: "https://hooks.example", events: ["creator.approved"] } as const

it.each<[string, () => PromiseLike<unknown>, unknown?]>([
  ["POST /topics", () => client.topics.create(topic), topic],
  ["POST /topics/bulk", () => client.topics.createMany([topic]), { topics: [topic] }],
  ["GET /topics", () => client.topics.list()],
  [
    "GET /topics?status=partial&limit=5&offset=10",
    () => client.topics.list({ status: "partial", limit: 5, offset: 10 })
  ],
  ["GET /topics?cursor=a%2Bb", () => client.topics.list({ cursor: "a+b" })],
  ["GET /topics/t", () => client.topics.get("t")],
  ["GET /topics/t/status", () => client.topics.status("t")],
  ["GET /topics/t/commentaries", () => client.topics.commentaries("t")],
  ["GET /topics/by-reference/derby%3A1", () => client.topics.byReference("derby:1")],
  ["POST /topics/t/cancel", () => client.topics.cancel("t")],
  ["POST /topics/t/commentaries/c/approve", () => client.topics.approveCommentary("t", "c")],
  ["GET /personas", () => client.personas.list()],
  ["GET /personas/p", () => client.personas.get("p")],
  ["GET /usage", () => client.usage.get()],
  ["GET /metrics/performance", () => client.metrics.performance()],
  [
    "GET /metrics/performance?from=2026-01-01T00%3A00%3A00Z",
    () => client.metrics.performance({ from: "2026-01-01T00:00:00Z" })
  ],
  [
    "GET /metrics/performance?from=2026-01-01T00%3A00%3A00.000Z&to=2026-01-31T12%3A00%3A00.500Z",
    () =>
      client.metrics.performance({
        from: new Date("2026-01-01T01:00:00+01:00"),
        to: new Date("2026-01-31T12:00:00.500Z")
      })
  ],
  ["POST /webhooks", () => client.webhooks.create(hook), hook],
  ["GET /webhooks", () => client.webhooks.list()],
  ["GET /webhooks/w", () => client.webhooks.get("w")],
  ["PATCH /webhooks/w", () => client.webhooks.update("w", { status: "paused" }), { status: "paused" }],
  ["DELETE /webhooks/w", () => client.webhooks.delete("w")],
  ["POST /webhooks/w/test", () => client.webhooks.test("w")],
  ["GET /events", () => client.events.list()],
  [
    "GET /events?type=commentary.failed&since=2026-01-01T00%3A00%3A00Z&limit=5&cursor=evt_1",
    () => client.events.list({ type: "commentary.failed", since: "2026-01-01T00:00:00Z", limit: 5, cursor: "evt_1" })
  ],
  ["POST /test/assignments/s/advance", () => client.test.advance("s"), {}],
  ["POST /test/assignments/s/advance", () => client.test.advance("s", { action: "fail" }), { action: "fail" }],
  [
    "POST /api-keys",
    () => dashboard.apiKeys.create({ name: "a", scopes: ["topics:read"] }),
    { name: "a", scopes: ["topics:read"] }
  ],
  ["GET /api-keys", () => dashboard.apiKeys.list()],
  ["GET /api-keys/k", () => dashboard.apiKeys.get("k")],
  [
    "POST /api-keys/k/rotate",
    () => dashboard.apiKeys.rotate("k", { grace_period_seconds: 0 }),
    { grace_period_seconds: 0 }
  ],
  ["DELETE /api-keys/k", () => dashboard.apiKeys.revoke("k")]
])("%s", async (expected, call, body) => {
  await call()
  const last = asked.at(-1)
  expect(`${last?.init.method} ${last?.url}`).toBe(expected.replace(" ", " https://api.example/partner/v1"))
  const { headers } = last?.init ?? {}
  const dashboards = expected.includes("/api-keys")
  expect(headers?.get("x-api-key")).toBe(dashboards ? null : testApiKey)
  expect(headers?.get("authorization")).toBe(dashboards ? `Bearer ${token}` : null)
  expect(headers?.get("content-type")).toBe(body === undefined ? null : "application/json")
  expect(last?.init.body).toBe(body === undefined ? null : JSON.stringify(body))
  const repeatable = expected.startsWith("POST") && !expected.endsWith("/test")
  expect(headers?.has("idempotency-key")).toBe(repeatable)
  expect(last?.init.redirect).toBe("manual")
  expect(headers?.get("user-agent")).toMatch(/^partner-commentary-client\/\d+\.\d+\.\d+$/)
})

it.each(["", ".", ".."])("the client rejects %j as an id before a request is sent", async (id) => {
  const before = asked.length
  expect(String(await catchRejection(client.topics.get(id)))).toContain(`${JSON.stringify(id)} is no id.`)
  expect(asked).toHaveLength(before)
})

it("an id with any characters stays a single path segment", async () => {
  await client.topics.get("../personas?a=b#c")
  expect(asked.at(-1)?.url).toBe("https://api.example/partner/v1/topics/..%2Fpersonas%3Fa%3Db%23c")
})

it.each([
  ["https://api.example", "https://api.example/partner/v1/usage"],
  ["https://api.example/", "https://api.example/partner/v1/usage"],
  ["https://api.example/partner/v1", "https://api.example/partner/v1/usage"],
  ["http://localhost:8080/behind/a/path/", "http://localhost:8080/behind/a/path/partner/v1/usage"]
])("the base address %s leads to %s", async (baseUrl, url) => {
  const { asked, client } = makeScriptedService([makeSuccessResponse({})], { baseUrl })
  await client.usage.get()
  expect(asked[0]?.url).toBe(url)
})

it("an invalid date is rejected before a request is sent", async () => {
  const before = asked.length
  const error = await catchRejection(client.metrics.performance({ from: new Date("soon") }))
  expect(error).toMatchObject({ name: "PartnerCommentaryError", message: "from is an invalid Date." })
  expect(asked).toHaveLength(before)
})

it.each([undefined, null, "pk_test_a"])(
  "with %j instead of options, the constructor throws an error that names the missing options",
  (given) => {
    const options = given as never
    expect(() => new PartnerCommentary(options)).toThrow(
      new PartnerCommentaryError("Options are missing: pass an object with apiKey and baseUrl.")
    )
    expect(() => new PartnerCommentaryDashboard(options)).toThrow(
      new PartnerCommentaryError("Options are missing: pass an object with token and baseUrl.")
    )
  }
)

it("the error of a constructor call without apiKey or baseUrl names the missing option", () => {
  const baseUrl = "https://api.example"
  expect(() => new PartnerCommentary({ baseUrl } as never)).toThrow("apiKey is missing")
  expect(() => new PartnerCommentary({ apiKey: testApiKey } as never)).toThrow("baseUrl must be the service's address")
})

it("headers from the options are sent, except headers that the client itself sets", async () => {
  const { asked, client } = makeScriptedService([makeSuccessResponse({})], {
    headers: { "X-Team": "desk", "x-api-key": "other" }
  })
  await client.usage.get({ headers: { "x-team": "sports", traceparent: "00-1-2-00" } })
  const { headers } = asked[0]?.init ?? {}
  expect([headers?.get("x-team"), headers?.get("traceparent"), headers?.get("x-api-key")]).toEqual([
    "sports",
    "00-1-2-00",
    testApiKey
  ])
})

it("each attempt has a new request id, unless the caller sets a request id", async () => {
  const { asked, client } = makeScriptedService([makeSuccessResponse({})])
  await client.usage.get()
  await client.usage.get()
  await client.usage.get({ headers: { "X-Request-Id": "mine-1" } })
  const ids = asked.map(({ init }) => init.headers.get("x-request-id"))
  expect(new Set(ids).size).toBe(3)
  expect(ids[2]).toBe("mine-1")
})

it("onResponse receives the request id, attempt, rate limit and replay flag of every response", async () => {
  const seen: Array<ResponseInfo> = []
  const reset = String(Math.floor(Date.now() / 1000) + 1800)
  const limits = { "x-ratelimit-limit": "1000", "x-ratelimit-remaining": "7", "x-ratelimit-reset": reset }
  const headers = { ...limits, "x-request-id": "r-1", "idempotency-replayed": "true" }
  const { client } = makeScriptedService([makeSuccessResponse({ topic_id: "t" }, headers)], {
    onResponse: (response) => seen.push(response)
  })
  await client.topics.create(topic, { onResponse: (response) => seen.push(response) })
  expect(seen).toHaveLength(2)
  expect(seen[0]).toMatchObject({
    method: "POST",
    path: "/topics",
    status: 200,
    requestId: "r-1",
    attempt: 1,
    replayed: true
  })
  expect(seen[0]?.rateLimit).toMatchObject({ limit: 1000, remaining: 7 })
  expect(seen[0]?.rateLimit?.resetsInMs).toBeGreaterThan(1_700_000)
})

it("the client keeps unknown fields of a newer service", async () => {
  const { client } = makeScriptedService([makeSuccessResponse({ topic_id: "t", status: "archived", more: { a: 1 } })])
  expect(await client.topics.get("t")).toEqual({ topic_id: "t", status: "archived", more: { a: 1 } })
})
