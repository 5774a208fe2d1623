/** Tests how the client waits for a topic: poll intervals, rate limits, outages and timeouts. */
import { type PartnerCommentaryOptions, type TopicProgress, WaitTimeoutError } from "@partner-commentary/client"
import { expect, it, vi } from "vitest"
import * as Clock from "./Clock.ts"
import {
  catchRejection,
  failWithConnectionReset,
  makeErrorResponse,
  makeHtmlResponse,
  makeSuccessResponse,
  type ScriptedResponse,
  makeScriptedService as scriptedWith
} from "./ScriptedService.ts"

const apiKey = "pk_live_secretsecretsecretsecretsecretsecret"
const scripted = (answers: ReadonlyArray<ScriptedResponse>, options: Partial<PartnerCommentaryOptions> = {}) =>
  scriptedWith(answers, { apiKey, ...options })

const progress = (overall_status: string, ready = false, headers?: Record<string, string>): ScriptedResponse =>
  makeSuccessResponse({ topic_id: "t", overall_status, personas: [{ has_commentary: ready }] }, headers)
const detail = makeSuccessResponse({ topic_id: "t", status: "completed", commentaries: [] })

Clock.useFakeClock()

it("waitFor polls every 30 to 60 seconds until the topic is completed, and resolves with the topic", async () => {
  const { asked, client, pauses } = scripted([
    progress("pending"),
    progress("partial", true),
    progress("completed"),
    detail
  ])
  expect(await Clock.advanceUntilSettled(client.topics.waitFor("t"))).toMatchObject({ status: "completed" })
  expect(pauses()).toEqual([45_000, 45_000, 0])
  expect(asked.map(({ url }) => url.split("/v1")[1])).toEqual([
    "/topics/t/status",
    "/topics/t/status",
    "/topics/t/status",
    "/topics/t"
  ])
  expect(vi.getTimerCount()).toBe(0)
})

it.each<[string, PartnerCommentaryOptions["apiKey"]]>([
  ["given as text", "pk_test_a"],
  ["fetched by a function", async () => "pk_test_a"]
])("waitFor polls every 1 to 2 seconds with a test key, %s", async (_, apiKey) => {
  const { client, pauses } = scripted([progress("pending"), progress("pending"), progress("completed"), detail], {
    apiKey
  })
  await Clock.advanceUntilSettled(client.topics.waitFor("t"))
  expect(pauses()).toEqual([1500, 1500, 0])
})

it("intervalMs overrides the default poll interval for live keys and test keys", async () => {
  for (const apiKey of ["pk_test_a", "pk_live_a"]) {
    const { client, pauses } = scripted([progress("pending"), progress("completed"), detail], { apiKey })
    await Clock.advanceUntilSettled(client.topics.waitFor("t", { intervalMs: 10_000 }))
    expect(pauses()).toEqual([15_000, 0])
  }
})

it('waitFor with until: "first" resolves when the first commentary is ready', async () => {
  const { asked, client } = scripted([progress("in_progress"), progress("partial", true), detail])
  await Clock.advanceUntilSettled(client.topics.waitFor("t", { until: "first", intervalMs: 500 }))
  expect(asked).toHaveLength(3)
})

it("onProgress receives the first status and every changed status", async () => {
  const { client } = scripted([
    progress("pending"),
    progress("pending"),
    progress("partial"),
    progress("completed"),
    detail
  ])
  const seen: Array<TopicProgress> = []
  await Clock.advanceUntilSettled(client.topics.waitFor("t", { onProgress: (status) => seen.push(status) }))
  expect(seen.map((status) => status.overall_status)).toEqual(["pending", "partial", "completed"])
})

it("waitFor spreads polls evenly when less than half of the rate limit remains", async () => {
  const left = (remaining: number) => ({
    "x-ratelimit-limit": "1000",
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + 1800)
  })
  const { client, pauses } = scripted([
    () => progress("pending", false, left(999))() as Response,
    () => progress("pending", false, left(2))() as Response,
    () => progress("pending", false, left(0))() as Response,
    progress("completed"),
    detail
  ])
  await Clock.advanceUntilSettled(client.topics.waitFor("t"))
  expect(pauses()).toEqual([45_000, 600_000, 1_800_000, 0])
})

it("polling does not slow down while at least half of the rate limit remains", async () => {
  const left = (remaining: number) => ({
    "x-ratelimit-limit": "1000",
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + 3600)
  })
  const { client, pauses } = scripted(
    [
      () => progress("pending", false, left(999))() as Response,
      () => progress("pending", false, left(500))() as Response,
      () => progress("pending", false, left(449))() as Response,
      progress("completed"),
      detail
    ],
    { apiKey: "pk_test_a" }
  )
  await Clock.advanceUntilSettled(client.topics.waitFor("t"))
  expect(pauses()).toEqual([1500, 1500, 8000, 0])
})

it("waitFor continues after a rate-limit error, even after a long pause", async () => {
  const limited = makeErrorResponse(
    429,
    "rate_limit_exceeded",
    { retry_after: 3000, limit: 1000, remaining: 0 },
    { "retry-after": "3000" }
  )
  const { client, pauses } = scripted([limited, progress("completed"), detail])
  await Clock.advanceUntilSettled(client.topics.waitFor("t"))
  expect(pauses()).toEqual([3_000_000, 0])
})

it("an outage after the first status does not end waitFor", async () => {
  const outage = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? failWithConnectionReset : makeHtmlResponse(502)))
  const { client } = scripted([progress("pending"), ...outage, progress("completed"), detail])
  expect(await Clock.advanceUntilSettled(client.topics.waitFor("t"))).toMatchObject({ status: "completed" })
})

it("waitFor rejects without waiting if the service is unreachable at the start or the topic is unknown", async () => {
  const { client } = scripted([failWithConnectionReset])
  expect(await Clock.advanceUntilSettled(catchRejection(client.topics.waitFor("t")))).toMatchObject({
    name: "ConnectionError"
  })
  const missing = scripted([progress("pending"), makeErrorResponse(404, "not_found")])
  expect(await Clock.advanceUntilSettled(catchRejection(missing.client.topics.waitFor("t")))).toMatchObject({
    code: "not_found"
  })
})

it("waitFor rejects after the timeout with the last status", async () => {
  const { client } = scripted([progress("in_progress")])
  const start = Date.now()
  const error = await Clock.advanceUntilSettled(catchRejection(client.topics.waitFor("t", { timeoutMs: 100_000 })))
  if (!(error instanceof WaitTimeoutError)) throw error
  expect(error).toMatchObject({ topicId: "t", lastStatus: { overall_status: "in_progress" } })
  expect(Date.now() - start).toBe(100_000)
  expect(vi.getTimerCount()).toBe(0)
})

it("waitFor resolves if the last poll after the timeout finds the topic completed", async () => {
  const { asked, client } = scripted([progress("pending"), progress("completed"), detail])
  const start = Date.now()
  expect(await Clock.advanceUntilSettled(client.topics.waitFor("t", { timeoutMs: 15_000 }))).toMatchObject({
    status: "completed"
  })
  expect(asked.map(({ at }) => at - start)).toEqual([0, 15_000, 15_000])
})

it("the status of the last poll after the timeout is passed to onProgress and included in the error", async () => {
  const { asked, client } = scripted([progress("pending"), progress("partial", true)])
  const seen: Array<string> = []
  const call = client.topics.waitFor("t", {
    timeoutMs: 15_000,
    onProgress: (status) => seen.push(status.overall_status)
  })
  const error = await Clock.advanceUntilSettled(catchRejection(call))
  expect(error).toMatchObject({ name: "WaitTimeoutError", lastStatus: { overall_status: "partial" } })
  expect(String(error)).toContain("Topic t is partial after 15000 ms.")
  expect([seen, asked.length]).toEqual([["pending", "partial"], 2])
})

it("if the only attempt of the last poll fails, the timeout error contains the previous status", async () => {
  for (const outage of [failWithConnectionReset, makeHtmlResponse(502)]) {
    const { asked, client } = scripted([progress("in_progress"), outage])
    const error = await Clock.advanceUntilSettled(catchRejection(client.topics.waitFor("t", { timeoutMs: 15_000 })))
    expect(error).toMatchObject({ name: "WaitTimeoutError", lastStatus: { overall_status: "in_progress" } })
    expect(asked).toHaveLength(2)
  }
})

it("the last poll after the timeout ends after 10 seconds or on an abort", async () => {
  const hanging = (first: () => boolean) => async () =>
    first() ? (progress("pending")() as Response) : new Promise<Response>(() => undefined)
  const client = () => {
    let asked = 0
    return scripted([], { fetch: hanging(() => asked++ === 0) }).client
  }
  const start = Date.now()
  const error = await Clock.advanceUntilSettled(catchRejection(client().topics.waitFor("t", { timeoutMs: 15_000 })))
  expect(error).toMatchObject({ name: "WaitTimeoutError", lastStatus: { overall_status: "pending" } })
  expect(Date.now() - start).toBe(25_000)
  const controller = new AbortController()
  const call = catchRejection(client().topics.waitFor("t", { timeoutMs: 15_000, signal: controller.signal }))
  await vi.advanceTimersByTimeAsync(20_000)
  controller.abort(new Error("enough"))
  expect(String(await call)).toBe("Error: enough")
  expect(vi.getTimerCount()).toBe(0)
})

it("the default timeout of waitFor is two days", async () => {
  const { client } = scripted([progress("in_progress")])
  const start = Date.now()
  await Clock.advanceUntilSettled(catchRejection(client.topics.waitFor("t", { intervalMs: 3_600_000 })))
  expect(Date.now() - start).toBe(48 * 3_600_000)
})

it("an abort ends waitFor immediately with the caller's reason", async () => {
  const { client } = scripted([progress("pending")])
  const controller = new AbortController()
  const call = catchRejection(client.topics.waitFor("t", { signal: controller.signal }))
  await vi.advanceTimersByTimeAsync(10_000)
  controller.abort(new Error("enough"))
  expect(String(await call)).toBe("Error: enough")
  expect(vi.getTimerCount()).toBe(0)
})
