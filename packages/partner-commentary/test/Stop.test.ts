/** Tests what requests and calls get while the service stops and after it has stopped. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { type Options, PartnerCommentaryError, partnerCommentary } from "../src/PartnerCommentary.ts"
import { sqlite } from "../src/sqlite/Sqlite.ts"

const url = "https://app.example/commentary"
const persona = {
  id: "5d3f0f6a-8c1e-4b7a-9d55-0e2f4c6b8a91",
  name: "Ada",
  creator: { email: "ada@creators.example" },
  created_at: "2020-01-01T00:00:00.000Z"
}

const opened = (others: Partial<Options> = {}) => {
  const pc = partnerCommentary({
    url,
    secret: "32 characters or more, kept elsewhere",
    database: sqlite(":memory:"),
    mail: () => {},
    generator: () => "A commentary.",
    workers: false,
    ...others
  })
  onTestFinished(pc.stop)
  return pc
}

type Service = ReturnType<typeof opened>

const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: unknown) => {
      expect(error).toBeInstanceOf(PartnerCommentaryError)
      const { code, message } = error as PartnerCommentaryError
      return { code, message }
    }
  )

const stopped = { code: "stopped", message: "The service was stopped; call start() to use it again." }
const stopping = { code: "stopped", message: "The service is stopping." }

const health = () => new Request(`${url}/healthz`)

const invocation = { getRemainingTimeInMillis: () => 60_000 }

/** Makes an event of API Gateway. */
const event = (path: string, headers = {}) => ({
  version: "2.0",
  rawPath: `/commentary${path}`,
  headers,
  requestContext: { http: { method: "GET" } }
})

const createKey = async (pc: Service) => {
  const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
  const scopes = ["personas:read", "topics:submit", "topics:read"] as const
  const { full_key } = await pc.apiKeys.create({ organization_id, environment: "live", name: "k", scopes })
  return { organization_id, headers: { "x-api-key": full_key, "content-type": "application/json" } }
}

/** Opens a service whose function for licensed personas waits for `release`. */
const openedWithSlowPersonas = () => {
  const called = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const signals: Array<AbortSignal> = []
  const licensed = async (_: unknown, __: unknown, { signal }: { readonly signal: AbortSignal }) => {
    if (signals.push(signal) === 2) called.resolve()
    await gate.promise
    return [persona]
  }
  const pc = opened({ personas: { find: async () => persona, licensed } })
  /** Sends a request and makes a call, and waits until both run. */
  const submitTwice = async () => {
    const { headers, organization_id } = await createKey(pc)
    const topic = (content: string) => ({ content, persona_ids: [persona.id] })
    const body = JSON.stringify(topic("Who wins the derby on Sunday?"))
    const request = pc.fetch(new Request(`${url}/partner/v1/topics`, { method: "POST", headers, body }))
    const call = pc.topics.submit({ organization_id, ...topic("Who wins the cup?") })
    await called.promise
    return {
      headers,
      request,
      call: call.then(
        ({ results }) => results[0]?.status,
        (error) => rejection(Promise.reject(error))
      )
    }
  }
  return { pc, release: gate.resolve, signals, submitTwice }
}

describe("Stopped service", () => {
  it("a stopped service answers requests with 503 and rejects calls, until start is called", async () => {
    const pc = opened()
    await pc.start()
    await pc.stop()
    expect(await rejection(pc.organizations.list())).toEqual(stopped)
    expect(await rejection(pc.run(Effect.void))).toEqual(stopped)
    const headers = { "x-request-id": "mine-1" }
    const response = await pc.fetch(new Request(`${url}/healthz`, { headers }))
    expect([response.status, Object.fromEntries(response.headers), await response.json()]).toEqual([
      503,
      {
        "cache-control": "no-store",
        "content-type": "application/json",
        "retry-after": "1",
        "x-request-id": "mine-1"
      },
      {
        success: false,
        error: { code: "internal_error", message: expect.stringMatching(/^The service is stopping\. .* mine-1\.$/) }
      }
    ])
    const head = await pc.fetch(new Request(`${url}/healthz`, { method: "HEAD" }))
    expect([head.status, head.body]).toEqual([503, null])
    await pc.start()
    expect((await pc.fetch(health())).status).toBe(200)
    expect(await pc.organizations.list()).toEqual([])
  })

  it("a service that was stopped before its first call does not start", async () => {
    const pc = opened()
    await pc.stop()
    expect(await rejection(pc.organizations.list())).toEqual(stopped)
    await pc.stop()
  })

  it("a stopped service answers 503 to Node's HTTP server and to Lambda", async () => {
    const pc = opened()
    const server = createServer(pc.node)
    await once(server.listen(0, "127.0.0.1"), "listening")
    onTestFinished(() => void server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    const ask = () => fetch(`http://127.0.0.1:${port}/healthz`)
    expect((await ask()).status).toBe(200)
    await pc.stop()
    const response = await ask()
    const { headers, status } = response
    expect([status, headers.get("retry-after"), headers.get("connection")]).toEqual([503, "1", "close"])
    expect(await pc.lambda(event("/healthz"), invocation)).toMatchObject({ statusCode: 503 })
  })
})

describe("Stopping service", () => {
  it("stop waits for running requests and calls, and refuses new ones at once", async () => {
    const { pc, release, submitTwice } = openedWithSlowPersonas()
    const { call, request } = await submitTwice()
    const ended = vi.fn()
    const stop = pc.stop().then(ended)
    expect((await pc.fetch(health())).status).toBe(503)
    expect(await rejection(pc.organizations.list())).toEqual(stopped)
    expect(ended).not.toHaveBeenCalled()
    release()
    expect([(await request).status, await call]).toEqual([201, "sent"])
    await stop
  })

  it("stop waits for running requests of Lambda", async () => {
    const { pc, release, signals, submitTwice } = openedWithSlowPersonas()
    const { headers } = await submitTwice()
    const asked = pc.lambda(event("/partner/v1/personas", headers), invocation)
    await vi.waitFor(() => expect(signals).toHaveLength(3))
    const stop = pc.stop()
    release()
    expect(await asked).toMatchObject({ statusCode: 200 })
    await stop
  })

  it("stop interrupts requests and calls that have not ended after 10 seconds", async () => {
    const { pc, signals, submitTwice } = openedWithSlowPersonas()
    const { call, request } = await submitTwice()
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const stop = pc.stop()
    await vi.advanceTimersByTimeAsync(9_900)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    await vi.advanceTimersByTimeAsync(200)
    const response = await request
    expect([response.status, response.headers.get("retry-after"), await call]).toEqual([503, "1", stopping])
    await stop
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("stop ends event streams and answers requests that wait for a change", async () => {
    const pc = opened()
    const { headers, organization_id } = await createKey(pc)
    const { id: persona_id } = await pc.personas.create(persona)
    await pc.licenses.grant({ organization_id, persona_id })
    const topic = { organization_id, content: "Who wins the derby on Sunday?", persona_ids: [persona_id] }
    const { topic_id } = await pc.topics.submit(topic)
    const stream = await pc.fetch(new Request(`${url}/partner/v1/events/stream`, { headers }))
    expect(stream.status).toBe(200)
    const status = (more: Record<string, string>) =>
      pc.fetch(new Request(`${url}/partner/v1/topics/${topic_id}/status`, { headers: { ...headers, ...more } }))
    const etag = (await status({})).headers.get("etag") ?? ""
    const waiting = status({ prefer: "wait=30", "if-none-match": etag })
    const [response, text] = await Promise.all([waiting, stream.text(), pc.stop()])
    expect([response.status, text]).toEqual([304, expect.stringMatching(/^retry: /)])
  })

  it("a stop during a start rejects the start and its calls with a readable error", async () => {
    const pc = opened()
    const start = rejection(pc.start())
    const call = rejection(pc.organizations.list())
    const request = pc.fetch(health())
    await pc.stop()
    expect([await start, await call, (await request).status]).toEqual([stopping, stopping, 503])
  })

  it("a start during a stop starts the service after the stop, and a later stop ends it", async () => {
    const { pc, release, submitTwice } = openedWithSlowPersonas()
    const { call } = await submitTwice()
    const stop = pc.stop()
    const start = pc.start()
    const started = vi.fn()
    void start.then(started)
    const list = pc.organizations.list()
    // The start of another service takes as long as a start that does not wait for the stop.
    await opened().start()
    expect(started).not.toHaveBeenCalled()
    release()
    await Promise.all([stop, start, call])
    expect(await list).toEqual([])
    await Promise.all([pc.stop(), pc.stop()])
    expect(await rejection(pc.organizations.list())).toEqual(stopped)
  })

  it("a stop during a stop waits for the first stop, and also ends a start that was called between them", async () => {
    const { pc, release, submitTwice } = openedWithSlowPersonas()
    const { call } = await submitTwice()
    const ended: Array<string> = []
    const first = pc.stop().then(() => ended.push("first"))
    const start = rejection(pc.start())
    const second = pc.stop().then(() => ended.push("second"))
    release()
    expect([await call, await start]).toEqual(["sent", stopping])
    await Promise.all([first, second])
    expect(ended).toEqual(["first", "second"])
  })

  it("a logger that throws does not make stop fail", async () => {
    let isBroken = false
    const lines: Array<string> = []
    const write = (line: string) => {
      lines.push(line)
      if (isBroken) throw new Error("The logger failed")
    }
    const pc = opened({ logger: { debug: write, info: write, warn: write, error: write } })
    // The second line is a repetition, which the service writes when it stops.
    const warn = Effect.logWarning("The queue is long", Cause.fail("full"))
    await pc.run(Effect.andThen(warn, warn))
    isBroken = true
    await pc.stop()
    expect(lines.filter((line) => line === "The queue is long")).toHaveLength(2)
  })
})
