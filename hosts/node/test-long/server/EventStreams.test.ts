/**
 * Tests event streams of real processes: events and revocations by other processes, a stop, and clients that disconnect
 * or do not read.
 */
import { request } from "node:https"
import { connect } from "node:net"
import { join } from "node:path"
import { PartnerCommentary } from "@partner-commentary/client"
import { concurrencyPoolLimits } from "@partner-commentary/core/access/ConcurrencyLimit"
import { openPostgresRecordingProxy } from "@partner-commentary/test/postgres/PostgresProxy"
import { expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"
import * as Nginx from "../image/Nginx.ts"

/** The id of the test persona whose assignments never advance by themselves. */
const waitingPersonaId = "7e570000-0000-4000-8000-000000000005"

const plenty = ["requests_per_hour", "burst_per_minute", "topic_submissions_per_hour", "topic_reads_per_hour"].flatMap(
  (name) => ["--limit", `${name}=100000`]
)

const startScene = async (test: Process.TestCleanup, env: Process.EnvironmentVariables) => {
  const cwd = await Process.makeWorkingFolder(test)
  const server = await Process.startServiceProcess(cwd, ["serve", "--no-worker"], env)
  const { id, key } = await Partner.registerTestPartner(cwd, "Acme Sports", env)
  await Process.runJsonCommand(cwd, ["org", "update", id, ...plenty], env)
  const submit = async (number: number) => {
    const topic = { content: `Who wins match ${number}?`, persona_ids: [waitingPersonaId] }
    const { body } = await Partner.callApi(server.apiRoot, key, "/topics", topic)
    return body.data.results[0].share_id as string
  }
  const decline = async (apiRoot: string, shareId: string) => {
    const path = `/test/assignments/${shareId}/advance`
    expect((await Partner.callApi(apiRoot, key, path, { action: "decline" })).status).toBe(200)
  }
  const open = (signal?: AbortSignal) =>
    fetch(`${server.apiRoot}/partner/v1/events/stream`, { headers: { "x-api-key": key }, ...(signal && { signal }) })
  return { cwd, id, server, key, submit, decline, open }
}

/** Reads an event stream to its end. */
const collect = (response: Response) => {
  const stream = { text: "", isEnded: false }
  void (async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) stream.text += part
  })()
    // The read fails if the server is killed at the end of a test.
    .catch(() => {})
    .finally(() => {
      stream.isEnded = true
    })
  return stream
}

type Collected = ReturnType<typeof collect>
const within = (stream: Collected, holds: (stream: Collected) => boolean) =>
  Process.pollUntil(async () => stream, holds)

const databases: Readonly<Record<string, (test: Process.TestCleanup) => Promise<Process.EnvironmentVariables>>> = {
  SQLite: async () => ({ DEV: "true" }),
  Postgres: OwnDatabase.makeEmptyDatabase
}

it("an event stream on Postgres immediately sends an event that another process created", async (test) => {
  const env = await OwnDatabase.makeEmptyDatabase(test)
  const { cwd, decline, open, submit } = await startScene(test, env)
  const other = await Process.startServiceProcess(cwd, ["serve", "--no-worker"], env)
  const stream = collect(await open())
  const share = await submit(1)
  const began = performance.now()
  await decline(other.apiRoot, share)
  await within(stream, ({ text }) => text.includes("event: commentary.failed"))
  // Without a notification from the other process, the event would arrive only after a minute.
  expect(performance.now() - began).toBeLessThan(10_000)
})

it("idle event streams on Postgres cause no queries for keys or events", async (test) => {
  const env = await OwnDatabase.makeEmptyDatabase(test)
  const wire = await openPostgresRecordingProxy(env["DATABASE_URL"] ?? "")
  test.onTestFinished(wire.close)
  const { decline, open, server, submit } = await startScene(test, { ...env, DATABASE_URL: wire.url })
  const share = await submit(1)
  const streams = (await Promise.all(Array.from({ length: 5 }, () => open()))).map(collect)
  // Wait until the first test notification has arrived over LISTEN, and the service has stored the time of the key's
  // last use.
  await new Promise((resolve) => setTimeout(resolve, 7000))
  const lookups = () => wire.roundTrips.flat().filter((statement) => /api_keys|event_positions/.test(statement)).length
  const before = lookups()
  await new Promise((resolve) => setTimeout(resolve, 20_000))
  expect(lookups()).toBe(before)
  expect(streams.map(({ text }) => text.includes(":\n\n"))).toEqual(streams.map(() => true))
  await decline(server.apiRoot, share)
  for (const stream of streams) await within(stream, ({ text }) => text.includes("event: commentary.failed"))
  expect(lookups()).toBeGreaterThan(before)
})

it("the nginx configuration of deploy/ forwards each event of a stream without buffering", async (test) => {
  const { cwd, decline, key, server, submit } = await startScene(test, { DEV: "true" })
  const { port } = await Nginx.startNginx(test, join(cwd, "nginx"), Number(new URL(server.apiRoot).port))
  const share = await submit(1)
  let text = ""
  const headers = { "x-api-key": key }
  const asked = request({ port, path: "/partner/v1/events/stream", headers, rejectUnauthorized: false }, (response) =>
    response.setEncoding("utf8").on("data", (part) => (text += part))
  )
  test.onTestFinished(async () => void asked.destroy())
  asked.on("error", () => {}).end()
  await Process.pollUntil(
    async () => text,
    (seen) => seen.startsWith("retry: ")
  )
  const began = performance.now()
  await decline(server.apiRoot, share)
  await Process.pollUntil(
    async () => text,
    (seen) => seen.includes("event: commentary.failed")
  )
  expect(performance.now() - began).toBeLessThan(5000)
})

for (const [database, make] of Object.entries(databases)) {
  it(`${database}: a stream ends within 5 seconds after another process revokes the stream's key or suspends the organization`, async (test) => {
    const env = await make(test)
    const { cwd, id, open, server } = await startScene(test, env)
    const words = ["--org", id, "--name", "doomed", "--scopes", "topics:read", "--environment", "test"]
    const doomed = await Process.runJsonCommand(cwd, ["key", "create", ...words], env)
    const headers = { "x-api-key": doomed.full_key }
    const revoked = collect(await fetch(`${server.apiRoot}/partner/v1/events/stream`, { headers }))
    const kept = collect(await open())
    await new Promise((resolve) => setTimeout(resolve, 5000))
    expect([revoked.isEnded, kept.isEnded]).toEqual([false, false])
    for (const [command, stream] of [
      [["key", "revoke", doomed.id], revoked],
      [["org", "suspend", id], kept]
    ] as const) {
      await Process.runJsonCommand(cwd, command, env)
      const began = performance.now()
      await within(stream, ({ isEnded }) => isEnded)
      expect(performance.now() - began).toBeLessThan(5000)
    }
  })
}

it("SIGTERM ends event streams, the process exits with code 0, and a client continues with the next process", async (test) => {
  const env = { DEV: "true" }
  const { cwd, decline, key, server, submit } = await startScene(test, env)
  const shares = [await submit(1), await submit(2)]
  const client = new PartnerCommentary({ apiKey: key, baseUrl: server.apiRoot })
  const stop = new AbortController()
  const seen: Array<string> = []
  const following = (async () => {
    for await (const { data } of client.events.follow({ signal: stop.signal, type: "commentary.failed" })) {
      if ("share_id" in data) seen.push(data.share_id)
    }
  })()
  await decline(server.apiRoot, shares[0]!)
  await Process.pollUntil(
    async () => seen,
    ({ length }) => length === 1
  )
  await new Promise((resolve) => setTimeout(resolve, 6000))
  const began = performance.now()
  expect(await server.stop()).toMatchObject({ code: 0 })
  expect(performance.now() - began).toBeLessThan(5000)
  const next = await Process.startServiceProcess(cwd, ["serve", "--no-worker"], {
    ...env,
    PORT: new URL(server.apiRoot).port
  })
  await decline(next.apiRoot, shares[1]!)
  await Process.pollUntil(
    async () => seen,
    ({ length }) => length === 2
  )
  expect(seen).toEqual(shares)
  stop.abort(new Error("enough"))
  await expect(following).rejects.toThrow("enough")
})

it("event streams of clients that disconnect or do not read are ended, and other clients can open streams", async (test) => {
  const { decline, key, open, server, submit } = await startScene(test, { DEV: "true" })
  const { hostname, port } = new URL(server.apiRoot)
  const { each } = concurrencyPoolLimits.streaming
  const clients = new AbortController()
  const opened = await Promise.all(Array.from({ length: each }, () => open(clients.signal)))
  expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 200))
  expect((await open()).status).toBe(429)
  clients.abort()
  await Process.pollUntil(
    () => open(),
    ({ status }) => status === 200
  )
  // The events have more bytes than the socket buffers, so a client that does not read blocks its stream.
  const metadata = { note: "x".repeat(16_000) }
  const topics = Array.from({ length: 100 }, (_, number) => ({
    content: `Who wins ${number}?`,
    persona_ids: [waitingPersonaId],
    metadata
  }))
  for (let round = 0; round < 5; round++) {
    const bulk = topics.map((topic) => ({ ...topic, content: `${topic.content} In round ${round}?` }))
    const { body } = await Partner.callApi(server.apiRoot, key, "/topics/bulk", { topics: bulk })
    expect(body.success, JSON.stringify(body)).toBe(true)
    for (const { topic } of body.data.results) await decline(server.apiRoot, topic.results[0].share_id)
  }
  await submit(1)
  let isClosed = false
  const socket = connect(Number(port), hostname, () =>
    socket.write(`GET /partner/v1/events/stream HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${key}\r\n\r\n`)
  )
  socket.on("error", () => {})
  socket.on("close", () => {
    isClosed = true
  })
  socket.pause()
  test.onTestFinished(async () => void socket.destroy())
  await new Promise((resolve) => setTimeout(resolve, 75_000))
  // A socket emits its end event only if its data is read.
  socket.resume()
  await Process.pollUntil(
    async () => isClosed,
    (closed) => closed
  )
})
