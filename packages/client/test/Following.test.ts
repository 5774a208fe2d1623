/** Tests that `events.follow` returns each event once, by a stream or by long polling, even if connections break. */
import { ApiError, type FollowEventsOptions, PartnerCommentary, type PastEvent } from "@partner-commentary/client"
import { expect, it, vi } from "vitest"
import * as Clock from "./Clock.ts"
import { catchRejection, makeErrorResponse, makeHtmlResponse } from "./ScriptedService.ts"

Clock.useFakeClock()

/** The behavior of the next connection to the stream. */
type Behavior =
  | { readonly is: "answers"; readonly response: () => Response }
  | { readonly is: "silent" }
  /** The time in milliseconds after which the stream ends or breaks. */
  | { readonly is: "streams"; readonly ms?: number; readonly breaks?: boolean; readonly heartbeats?: boolean }

const streams: Behavior = { is: "streams" }

/**
 * Simulates a service that stores event number `n` after `n` seconds. Each connection has the next of the given
 * behaviors, and the last behavior repeats.
 */
const makeService = (behaviors: ReadonlyArray<Behavior>, { waits = true, key = "pk_live_a" } = {}) => {
  const start = Date.now()
  const asked: Array<string> = []
  const open = new Set<object>()
  let connections = 0
  let isDown = false
  const after = (place: string | null) => {
    const first = place === null ? 1 : Number(place.slice(4)) + 1
    const count = Math.floor((Date.now() - start) / 1000)
    return Array.from({ length: Math.max(0, count - first + 1) }, (_, at) => ({ id: `evt_${first + at}`, sequence: 1 }))
  }
  const bodyOf = (
    { breaks = false, heartbeats = true, ms = Number.POSITIVE_INFINITY }: Behavior & { is: "streams" },
    from: string | null
  ) => {
    let place = from
    const began = Date.now()
    const encoder = new TextEncoder()
    let timer: ReturnType<typeof setInterval>
    return new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(encoder.encode("retry: 3000\r\n\r\n"))
        const tick = () => {
          if (Date.now() - began >= ms) {
            clearInterval(timer)
            open.delete(controller)
            return breaks ? controller.error(new TypeError("terminated")) : controller.close()
          }
          for (const event of after(place)) {
            place = event.id
            const text = `id: ${event.id}\nevent: creator.approved\ndata: ${JSON.stringify(event)}\n\n`
            // Send each event in two parts, so that the client must join the parts.
            for (const part of [text.slice(0, 9), text.slice(9)]) controller.enqueue(encoder.encode(part))
          }
          if (heartbeats) controller.enqueue(encoder.encode(":\n\n"))
        }
        timer = setInterval(tick, 500)
        open.add(controller)
      },
      cancel: () => {
        clearInterval(timer)
        open.clear()
      }
    })
  }
  const fetch = async (url: string, { headers, signal }: RequestInit): Promise<Response> => {
    const { pathname, searchParams } = new URL(url)
    const place = searchParams.get("after")
    const isStream = pathname.endsWith("/stream")
    asked.push(`${isStream ? "stream" : "list"} ${place} at ${Date.now() - start}`)
    if (isDown) return makeHtmlResponse(503)() as Response
    if (isStream) {
      const behavior = behaviors[Math.min(connections++, behaviors.length - 1)] ?? streams
      if (behavior.is === "answers") return behavior.response()
      if (behavior.is === "silent") {
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))
      }
      return new Response(bodyOf(behavior, place), { headers: { "content-type": "text/event-stream" } })
    }
    const wait = waits ? Number((headers as Headers).get("prefer")?.slice(5) ?? 0) * 1000 : 0
    for (const end = Date.now() + wait; after(place).length === 0 && Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      signal?.throwIfAborted()
    }
    const data = after(place).slice(0, 100)
    return Response.json({ success: true, data, pagination: { limit: 100, next_cursor: data.at(-1)?.id ?? place } })
  }
  const client = new PartnerCommentary({ apiKey: key, baseUrl: "https://api.example", fetch })
  const seen: Array<string> = []
  const outages: Array<string> = []
  const follow = async (events: FollowEventsOptions = {}, until: (event: PastEvent) => boolean = () => false) => {
    const onOutage = ({ message }: Error) => void outages.push(message)
    for await (const event of client.events.follow({ onOutage, ...events })) {
      seen.push(event.id)
      if (until(event)) return
    }
  }
  return {
    asked,
    seen,
    outages,
    follow,
    openStreams: () => open.size,
    setDown: (down: boolean) => {
      isDown = down
    }
  }
}

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `evt_${from + at}`)

it("events arrive over one stream without delay, and `break` closes the stream", async () => {
  const { asked, follow, openStreams, outages, seen } = makeService([streams])
  const following = follow({}, ({ id }) => id === "evt_60")
  await vi.advanceTimersByTimeAsync(30_500)
  expect(seen).toEqual(ids(1, 30))
  expect(openStreams()).toBe(1)
  await vi.advanceTimersByTimeAsync(30_000)
  await following
  expect([seen, asked, outages]).toEqual([ids(1, 60), ["stream null at 0"], []])
  expect(openStreams()).toBe(0)
})

it("after a stream ends or breaks, a new stream continues after the last received event", async () => {
  const { asked, follow, outages, seen } = makeService([
    { is: "streams", ms: 10_000 },
    { is: "streams", ms: 10_000, breaks: true },
    streams
  ])
  void follow({ after: "evt_2" }).catch(() => undefined)
  await vi.advanceTimersByTimeAsync(40_500)
  expect(seen).toEqual(ids(3, 40))
  expect(asked).toEqual(["stream evt_2 at 0", "stream evt_9 at 13000", "stream evt_22 at 23250"])
  expect(outages).toEqual(["The stream of events broke: TypeError: terminated."])
})

it.each<[string, Behavior]>([
  ["an older service", { is: "answers", response: () => makeErrorResponse(404, "not_found")() as Response }],
  ["a proxy's page", { is: "answers", response: () => makeHtmlResponse(501)() as Response }],
  [
    "a limit",
    { is: "answers", response: () => makeErrorResponse(429, "rate_limit_exceeded", { retry_after: 1 })() as Response }
  ],
  ["a proxy that buffers the response", { is: "silent" }],
  ["a host that cannot stream", { is: "streams", ms: 0 }],
  ["a proxy that cuts off the stream", { is: "streams", ms: 2000, breaks: true }]
])(
  "with %s instead of a stream, events.follow uses long polling and tries a stream again after ten minutes",
  async (_, behavior) => {
    const { asked, follow, outages, seen } = makeService([behavior, streams])
    void follow().catch(() => undefined)
    await vi.advanceTimersByTimeAsync(700_500)
    expect(seen).toEqual(ids(1, 700))
    expect(outages).toEqual([])
    const kinds = asked.map((line) => line.split(" ")[0])
    expect(kinds.filter((kind) => kind === "stream")).toHaveLength(2)
    expect([kinds[1], kinds.at(-1)]).toEqual(["list", "stream"])
    // Each request waits for the next event, and a new event is stored every second, so at most one request starts per
    // second.
    expect(kinds.length).toBeLessThan(605)
  }
)

it("if the service does not support long polling, events.follow polls every 30 to 60 seconds, or every 1 to 2 seconds with a test key", async () => {
  for (const [key, most] of [
    ["pk_live_a", 4],
    ["pk_test_a", 80]
  ] as const) {
    const { asked, follow } = makeService([{ is: "streams", ms: 0 }], { waits: false, key })
    void follow({ after: "evt_1000000" }).catch(() => undefined)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(asked.length).toBeGreaterThan(2)
    expect(asked.length).toBeLessThanOrEqual(most + 2)
  }
})

it("a stream without data for more than two heartbeats counts as broken", async () => {
  const { asked, follow, outages } = makeService([{ is: "streams", heartbeats: false }, streams])
  void follow({ after: "evt_1000000" }).catch(() => undefined)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(outages).toEqual(["Nothing came for 40000 ms."])
  expect(asked).toHaveLength(2)
})

it("after an outage, events.follow continues without lost or repeated events, and pauses grow during the outage", async () => {
  const { asked, follow, outages, seen, setDown } = makeService([{ is: "streams", ms: 10_000, breaks: true }, streams])
  void follow().catch(() => undefined)
  await vi.advanceTimersByTimeAsync(9000)
  setDown(true)
  await vi.advanceTimersByTimeAsync(120_000)
  expect(outages.length).toBeGreaterThan(5)
  expect(asked.length).toBeLessThan(120)
  setDown(false)
  await vi.advanceTimersByTimeAsync(600_500)
  expect(seen).toEqual(ids(1, seen.length))
  expect(seen.length).toBeGreaterThan(725)
})

it("events.follow rejects after the configured retries if the service has never responded", async () => {
  const { follow, setDown } = makeService([streams])
  setDown(true)
  const failed = catchRejection(follow())
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await failed).toMatchObject({ status: 503 })
})

it("events.follow rejects immediately if the service refuses the key, even after events have arrived", async () => {
  const refused: Behavior = { is: "answers", response: () => makeErrorResponse(401, "key_revoked")() as Response }
  const { asked, follow, seen } = makeService([{ is: "streams", ms: 10_000 }, refused])
  const failed = catchRejection(follow())
  await vi.advanceTimersByTimeAsync(20_000)
  expect(await failed).toBeInstanceOf(ApiError)
  expect([seen.length, asked.length]).toEqual([9, 2])
})

it.each<[string, Behavior]>([
  ["a stream", streams],
  ["a connection", { is: "silent" }],
  ["a waiting request", { is: "streams", ms: 0 }]
])("an abort ends %s, and events.follow rejects with the signal's reason", async (_, behavior) => {
  const { follow, openStreams } = makeService([behavior])
  const stop = new AbortController()
  const failed = catchRejection(follow({ signal: stop.signal, after: "evt_1000000" }))
  await vi.advanceTimersByTimeAsync(10_200)
  stop.abort(new Error("enough"))
  await vi.advanceTimersByTimeAsync(1000)
  expect(await failed).toMatchObject({ message: "enough" })
  expect(openStreams()).toBe(0)
})
