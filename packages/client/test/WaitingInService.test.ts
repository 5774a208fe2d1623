/** Tests requests that wait in the service for a change of a topic, with `Prefer: wait` and entity tags. */
import { PartnerCommentary, type PartnerCommentaryOptions } from "@partner-commentary/client"
import { expect, it, vi } from "vitest"
import * as Clock from "./Clock.ts"
import { catchRejection } from "./ScriptedService.ts"

Clock.useFakeClock()

interface Behavior {
  /**
   * The times at which the topic's status changes, in milliseconds after the start. The last change of the status
   * completes the topic.
   */
  readonly changes?: ReadonlyArray<number>
  /** True if the service applies `Prefer: wait`, and false if the service responds immediately. */
  readonly waits?: boolean
  readonly says?: boolean
  readonly tags?: boolean
  readonly options?: Partial<PartnerCommentaryOptions>
}

interface Asked {
  readonly at: number
  readonly path: string
  readonly prefer: string | null
  readonly tag: string | null
}

/** Simulates a service in which the topic's status changes at given times after the start. */
const makeWaitingService = ({ changes = [], says = true, tags = true, waits = true, options }: Behavior = {}) => {
  const start = Date.now()
  const asked: Array<Asked> = []
  const version = () => changes.filter((at) => Date.now() - start >= at).length
  const fetch = async (url: string, { headers, signal }: RequestInit): Promise<Response> => {
    const sent = headers as Headers
    const path = url.split("/v1")[1] ?? ""
    const [prefer, tag] = [sent.get("prefer"), sent.get("if-none-match")]
    asked.push({ at: Date.now() - start, path, prefer, tag })
    const known = tag === null ? version() : Number(tag.slice(1, -1))
    const wait = waits && prefer !== null ? Number(prefer.slice(5)) * 1000 : 0
    for (const end = Date.now() + wait; version() === known && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      signal?.throwIfAborted()
    }
    const now = version()
    const shown = {
      ...(tags ? { etag: `"${now}"` } : {}),
      ...(wait > 0 && says ? { "preference-applied": "wait" } : {})
    }
    if (tag === `"${now}"`) return new Response(null, { status: 304, headers: shown })
    const overall_status = changes.length > 0 && now === changes.length ? "completed" : `state ${now}`
    return Response.json({ success: true, data: { topic_id: "t", overall_status, personas: [] } }, { headers: shown })
  }
  const client = new PartnerCommentary({ apiKey: "pk_live_a", baseUrl: "https://api.example", fetch, ...options })
  return { asked, client, start }
}

it("a waiting request sends the last entity tag, and a change of the topic ends the wait", async () => {
  const { asked, client, start } = makeWaitingService({ changes: [40_000, 90_000] })
  expect(await Clock.advanceUntilSettled(client.topics.waitFor("t"))).toMatchObject({ topic_id: "t" })
  expect(asked).toEqual([
    { at: 0, path: "/topics/t/status", prefer: null, tag: null },
    { at: 1000, path: "/topics/t/status", prefer: "wait=25", tag: '"0"' },
    { at: 26_000, path: "/topics/t/status", prefer: "wait=25", tag: '"0"' },
    { at: 40_000, path: "/topics/t/status", prefer: "wait=25", tag: '"1"' },
    { at: 65_000, path: "/topics/t/status", prefer: "wait=25", tag: '"1"' },
    { at: 90_000, path: "/topics/t", prefer: null, tag: null }
  ])
  expect(Date.now() - start).toBe(90_000)
  expect(vi.getTimerCount()).toBe(0)
})

it("waitFor returns a completed topic without a wait", async () => {
  const { asked, client, start } = makeWaitingService({ changes: [0] })
  await Clock.advanceUntilSettled(client.topics.waitFor("t"))
  expect([asked.length, Date.now() - start]).toEqual([2, 0])
})

it("if a proxy removes the header Preference-Applied, the client detects from the response time that the service has waited", async () => {
  const { asked, client } = makeWaitingService({ changes: [60_000], says: false })
  await Clock.advanceUntilSettled(client.topics.waitFor("t"))
  expect(asked.map(({ at }) => at)).toEqual([0, 1000, 26_000, 51_000, 60_000])
})

it("if the service responds immediately, waitFor polls at the default interval", async () => {
  const { asked, client } = makeWaitingService({ changes: [100_000], waits: false })
  await Clock.advanceUntilSettled(client.topics.waitFor("t"))
  expect(asked.map(({ at }) => at)).toEqual([0, 1000, 46_000, 91_000, 136_000, 136_000])
})

it("if the service sends no entity tags, the client sends neither `Prefer` nor `If-None-Match`", async () => {
  const { asked, client } = makeWaitingService({ changes: [100_000], tags: false })
  await Clock.advanceUntilSettled(client.topics.waitFor("t"))
  expect(asked.map(({ at }) => at)).toEqual([0, 45_000, 90_000, 135_000, 135_000])
  expect(asked.every(({ prefer, tag }) => prefer === null && tag === null)).toBe(true)
})

it("if a stopping service ends every wait immediately, the client sends at most one request per second", async () => {
  let requests = 0
  const headers = { etag: '"1"', "preference-applied": "wait" }
  const fetch = async () =>
    requests++ === 0
      ? Response.json({ success: true, data: { overall_status: "pending", personas: [] } }, { headers })
      : new Response(null, { status: 304, headers })
  const { client } = makeWaitingService({ options: { fetch } })
  await Clock.advanceUntilSettled(catchRejection(client.topics.waitFor("t", { timeoutMs: 10_500 })))
  expect(requests).toBe(12)
})

it("the timeout of waitFor ends a series of 304 responses, and no request waits longer than the remaining time", async () => {
  const { asked, client, start } = makeWaitingService()
  const error = await Clock.advanceUntilSettled(catchRejection(client.topics.waitFor("t", { timeoutMs: 60_500 })))
  expect(error).toMatchObject({ name: "WaitTimeoutError", lastStatus: { overall_status: "state 0" } })
  expect(asked.map(({ at, prefer }) => [at, prefer])).toEqual([
    [0, null],
    [1000, "wait=25"],
    [26_000, "wait=25"],
    [51_000, "wait=9"],
    [60_000, null],
    [60_500, null]
  ])
  expect(Date.now() - start).toBe(60_500)
  expect(vi.getTimerCount()).toBe(0)
})

it("a waiting request may exceed the client's timeout, but ends at the latest 10 seconds after the requested wait", async () => {
  const short = makeWaitingService({ changes: [20_000], options: { timeoutMs: 1000 } })
  await Clock.advanceUntilSettled(short.client.topics.waitFor("t"))
  expect(short.asked.map(({ at }) => at)).toEqual([0, 1000, 20_000])

  const at: Array<number> = []
  const start = Date.now()
  const hanging = async () => {
    at.push(Date.now() - start)
    if (at.length > 1) return new Promise<Response>(() => undefined)
    const status = { success: true, data: { overall_status: "pending", personas: [] } }
    return Response.json(status, { headers: { etag: '"1"' } })
  }
  const { client } = makeWaitingService({ options: { fetch: hanging, timeoutMs: 1000, maxRetries: 0 } })
  await Clock.advanceUntilSettled(catchRejection(client.topics.waitFor("t", { timeoutMs: 100_000 })))
  expect(at).toEqual([0, 1000, 81_000, 100_000])
})

it("an abort immediately ends a request that waits in the service, with the caller's reason", async () => {
  const { client } = makeWaitingService()
  const controller = new AbortController()
  const call = catchRejection(client.topics.waitFor("t", { signal: controller.signal }))
  await vi.advanceTimersByTimeAsync(10_000)
  controller.abort(new Error("enough"))
  expect(String(await call)).toBe("Error: enough")
})
