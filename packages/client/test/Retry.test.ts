/** Tests retries: which failures are retried, how often and after which delay, and that no work is done twice. */
import { ApiError, ConnectionError, UnexpectedAnswerError } from "@partner-commentary/client"
import { expect, it, vi } from "vitest"
import * as Clock from "./Clock.ts"
import {
  catchRejection,
  failWithConnectionReset,
  makeErrorResponse,
  makeHtmlResponse,
  makeScriptedService,
  makeSuccessResponse,
  type ScriptedResponse
} from "./ScriptedService.ts"

const topic = { content: "Who wins the derby?", persona_ids: ["a"] }
const limited = (details: object = {}, headers?: Record<string, string>) =>
  makeErrorResponse(429, "rate_limit_exceeded", { retry_after: 7, limit: 100, remaining: 0, ...details }, headers)

Clock.useFakeClock()

it.each<[string, ScriptedResponse]>([
  ["a broken connection", failWithConnectionReset],
  ["408", makeErrorResponse(408, "invalid_request")],
  ["429", limited()],
  ["500", makeErrorResponse(500, "internal_error")],
  ["502 of a proxy", makeHtmlResponse(502)],
  ["503 of a proxy", makeHtmlResponse(503)],
  ["504 of a proxy", makeHtmlResponse(504)]
])("%s is retried, and a POST keeps its idempotency key", async (_, trouble) => {
  const { asked, client } = makeScriptedService([trouble, trouble, makeSuccessResponse({ topic_id: "t" })])
  expect(await Clock.advanceUntilSettled(client.topics.create(topic))).toEqual({ topic_id: "t" })
  expect(asked).toHaveLength(3)
  const keys = new Set(asked.map(({ init }) => init.headers.get("idempotency-key")))
  expect(keys.size).toBe(1)
  expect([...keys][0]).toMatch(/^[0-9a-f-]{36}$/)
})

it.each<[string, ScriptedResponse, unknown]>([
  [
    "400",
    makeErrorResponse(400, "invalid_request", { field: "content", constraint: "is too short", errors: [] }),
    ApiError
  ],
  ["401", makeErrorResponse(401, "unauthorized"), ApiError],
  ["404", makeErrorResponse(404, "not_found"), ApiError],
  ["a used-up quota", limited({ quota: "topics_per_month" }, { "retry-after": "1" }), ApiError],
  ["a page with status 200", makeHtmlResponse(200), UnexpectedAnswerError],
  ["a page with status 404", makeHtmlResponse(404), UnexpectedAnswerError]
])("%s is not retried", async (_, answer, kind) => {
  const { asked, client } = makeScriptedService([answer])
  expect(await Clock.advanceUntilSettled(catchRejection(client.topics.create(topic)))).toBeInstanceOf(kind)
  expect(asked).toHaveLength(1)
})

it("a call fails after three retries with the last error", async () => {
  const { asked, client } = makeScriptedService([makeErrorResponse(500, "internal_error"), failWithConnectionReset])
  expect(await Clock.advanceUntilSettled(catchRejection(client.topics.get("t")))).toBeInstanceOf(ConnectionError)
  expect(asked).toHaveLength(4)
})

it("the maxRetries of a call overrides the maxRetries of the client", async () => {
  const { asked, client } = makeScriptedService([failWithConnectionReset], { maxRetries: 1 })
  await Clock.advanceUntilSettled(catchRejection(client.topics.get("t")))
  expect(asked).toHaveLength(2)
  await Clock.advanceUntilSettled(catchRejection(client.topics.get("t", { maxRetries: 0 })))
  expect(asked).toHaveLength(3)
})

it("the delay before a retry is random and grows up to eight seconds", async () => {
  const { client, pauses } = makeScriptedService([failWithConnectionReset], { maxRetries: 6 })
  await Clock.advanceUntilSettled(catchRejection(client.topics.get("t")))
  expect(pauses()).toEqual([250, 500, 1000, 2000, 4000, 4000])
})

it("the delay before a retry does not exceed maxRetryWaitMs", async () => {
  const { client, pauses } = makeScriptedService([failWithConnectionReset], { maxRetries: 4, maxRetryWaitMs: 600 })
  await Clock.advanceUntilSettled(catchRejection(client.topics.get("t")))
  expect(pauses()).toEqual([250, 500, 600, 600])
})

it("Retry-After sets the delay before a retry, in seconds or as a date relative to the server's clock", async () => {
  const byDate = { "retry-after": "Fri, 01 Jan 2027 00:00:20 GMT", date: "Fri, 01 Jan 2027 00:00:00 GMT" }
  const { client, pauses } = makeScriptedService([
    makeHtmlResponse(503, { "retry-after": "5" }),
    limited({}, byDate),
    makeSuccessResponse({})
  ])
  await Clock.advanceUntilSettled(client.topics.get("t"))
  expect(pauses()).toEqual([5500, 20_500])
})

it("the error details set the delay before a retry if a proxy removed the Retry-After header", async () => {
  const { client, pauses } = makeScriptedService([limited(), makeSuccessResponse({})])
  await Clock.advanceUntilSettled(client.topics.get("t"))
  expect(pauses()).toEqual([7500])
})

it("a call rejects without a retry if the service requests a delay above a minute or above the configured limit", async () => {
  const { asked, client } = makeScriptedService([limited({}, { "retry-after": "61" })])
  expect(await Clock.advanceUntilSettled(catchRejection(client.topics.get("t")))).toMatchObject({
    code: "rate_limit_exceeded"
  })
  expect(asked).toHaveLength(1)

  const patient = makeScriptedService([limited({}, { "retry-after": "3600" }), makeSuccessResponse({})], {
    maxRetryWaitMs: 3_600_000
  })
  await Clock.advanceUntilSettled(patient.client.topics.get("t"))
  expect(patient.pauses()).toEqual([3_601_000 - 500])
})

it("a call sends the caller's idempotency key, or a new key by default", async () => {
  const { asked, client } = makeScriptedService([makeSuccessResponse({})])
  await client.topics.create(topic, { idempotencyKey: "derby-1" })
  await client.topics.create(topic)
  await client.topics.createMany([topic])
  const keys = asked.map(({ init }) => init.headers.get("idempotency-key"))
  expect(keys[0]).toBe("derby-1")
  expect(new Set(keys).size).toBe(3)
})

it("a webhook test is never retried", async () => {
  const { asked, client } = makeScriptedService([failWithConnectionReset])
  expect(await Clock.advanceUntilSettled(catchRejection(client.webhooks.test("w")))).toBeInstanceOf(ConnectionError)
  expect(asked).toHaveLength(1)
  expect(asked[0]?.init.headers.get("idempotency-key")).toBeNull()
})

it("an abort ends the delay before a retry, and the call rejects with the caller's reason", async () => {
  const { asked, client } = makeScriptedService([makeHtmlResponse(503, { "retry-after": "50" })])
  const controller = new AbortController()
  const call = catchRejection(client.topics.get("t", { signal: controller.signal }))
  await vi.advanceTimersByTimeAsync(10_000)
  controller.abort()
  expect(await call).toMatchObject({ name: "AbortError" })
  expect(asked).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
})

it("completed calls leave no listeners on the caller's signal", async () => {
  const { client } = makeScriptedService([failWithConnectionReset, failWithConnectionReset, makeSuccessResponse({})])
  const { signal } = new AbortController()
  const added = vi.spyOn(signal, "addEventListener")
  const removed = vi.spyOn(signal, "removeEventListener")
  await Clock.advanceUntilSettled(client.topics.get("t", { signal }))
  const listeners = (spy: typeof added | typeof removed) => spy.mock.calls.map(([, listener]) => listener)
  expect(added).toHaveBeenCalledTimes(5)
  expect(listeners(removed)).toEqual(listeners(added))
})

it("each attempt calls the `apiKey` function, so the next attempt uses a rotated key", async () => {
  const keys = ["pk_live_old", "pk_live_new"]
  const { asked, client } = makeScriptedService([failWithConnectionReset, makeSuccessResponse({})], {
    apiKey: async () => keys.shift() ?? "none"
  })
  await Clock.advanceUntilSettled(client.topics.get("t"))
  expect(asked.map(({ init }) => init.headers.get("x-api-key"))).toEqual(["pk_live_old", "pk_live_new"])
})
