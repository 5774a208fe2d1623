/** Tests a service that is created from options: start, requests below a path, logging and stop. */
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import * as Log from "../src/Log.ts"
import { PartnerCommentaryError, partnerCommentary } from "../src/PartnerCommentary.ts"
import { postgres } from "../src/postgres/Postgres.ts"
import { sqlite } from "../src/sqlite/Sqlite.ts"

const options = {
  url: "https://app.example/commentary",
  secret: "32 characters or more, kept elsewhere",
  database: sqlite(":memory:"),
  mail: () => {},
  generator: () => "A commentary."
}

const rejection = (promise: Promise<unknown>): Promise<PartnerCommentaryError> =>
  promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (error) => (error instanceof PartnerCommentaryError ? error : Promise.reject(error))
  )

it.each(["/commentary/healthz", "/healthz"])(
  "the service answers %s, whether or not the router has removed the mount path",
  async (path) => {
    const pc = partnerCommentary(options)
    onTestFinished(pc.stop)
    await pc.start()
    const server = createServer(pc.node)
    await once(server.listen(0, "127.0.0.1"), "listening")
    onTestFinished(() => void server.close().closeAllConnections())
    const { port } = server.address() as AddressInfo
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200)
    expect((await pc.fetch(new Request(`https://app.example${path}`))).status).toBe(200)
  }
)

it("with migrate: false, the start fails on a database that is not migrated, and succeeds on a migrated database", async () => {
  const folder = mkdtempSync(join(tmpdir(), "migrate-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const filename = join(folder, "commentary.db")
  const open = (migrate: boolean) => {
    const pc = partnerCommentary({ ...options, database: sqlite(filename, { migrate }) })
    onTestFinished(pc.stop)
    return pc
  }
  const { code, message } = await rejection(open(false).start())
  expect([code, message]).toEqual([
    "start_failed",
    expect.stringMatching(
      /^The database \S+ cannot be used: .*lacks \d+ migrations.*start a process that migrates.*\.$/
    )
  ])
  const migrating = open(true)
  await migrating.start()
  await migrating.stop()
  await open(false).start()
})

it.each([
  ["fetch", "The first argument must be a web-standard Request.", (pc) => pc.fetch(undefined as never)],
  [
    "fetch that is Node's request",
    "The first argument must be a web-standard Request.",
    (pc) => pc.fetch({ url: "/commentary/healthz", method: "GET", headers: {}, socket: {} } as never)
  ],
  ["next", "The first argument must be a web-standard Request.", (pc) => pc.next.GET("/healthz" as never)],
  [
    "node",
    "node takes the request and the response of Node's HTTP server, in this order.",
    (pc) => pc.node({ socket: {} } as never, undefined as never)
  ]
] satisfies ReadonlyArray<[string, string, (pc: ReturnType<typeof partnerCommentary>) => Promise<unknown>]>)(
  "a call of %s with a wrong argument rejects with a PartnerCommentaryError",
  async (_, message, call) => {
    const pc = partnerCommentary(options)
    onTestFinished(pc.stop)
    const error = await rejection(call(pc))
    expect(error).toMatchObject({ code: "invalid_argument", message, details: { field: "request" } })
  }
)

it("fetch accepts null as an absent context, and rejects a context that is not an object", async () => {
  const pc = partnerCommentary(options)
  onTestFinished(pc.stop)
  const request = new Request("https://app.example/commentary/healthz")
  expect((await pc.fetch(request, null as never)).status).toBe(200)
  // The service must reject a string, because the service would otherwise not limit anonymous calls by their address.
  expect(await rejection(pc.fetch(request, "203.0.113.9" as never))).toMatchObject({
    code: "invalid_argument",
    message: 'The second argument must be an object such as { address: "203.0.113.9" }.',
    details: { field: "sent" }
  })
})

it("fetch refuses a body in thousands of tiny chunks, and accepts the same text in larger chunks", async () => {
  const pc = partnerCommentary(options)
  onTestFinished(pc.stop)
  const { id: organization_id } = await pc.organizations.create({ name: "Sports app" })
  const key = await pc.apiKeys.create({ organization_id, name: "server", scopes: ["topics:submit"] })
  const submit = async (chunk: string, count: number) => {
    const body = Readable.toWeb(Readable.from(Array.from({ length: count }, () => Buffer.from(chunk))))
    const headers = { "x-api-key": key.full_key, "content-type": "application/json" }
    const init = { method: "POST", headers, body, duplex: "half" } as unknown as RequestInit
    const response = await pc.fetch(new Request("https://app.example/commentary/partner/v1/topics", init))
    return (await response.json()).error.details
  }
  expect(await submit(" ", 5000)).toMatchObject({ field: "body", constraint: "could not be read" })
  expect(await submit(" ".repeat(64), 4500)).toMatchObject({ field: "body", constraint: "must be at most 256 KiB" })
  expect(await submit(" ".repeat(50), 100)).not.toMatchObject({ constraint: "could not be read" })
})

it("a stopped service can be started again", async () => {
  const pc = partnerCommentary(options)
  await pc.start()
  await pc.stop()
  await pc.start()
  await pc.stop()
})

it("if Express mounts the service at a path that differs from the option url, the service logs a warning and still answers", async () => {
  const warnings: Array<unknown> = []
  const none = () => {}
  const logger = { debug: none, info: none, warn: (line: string) => warnings.push(line), error: none }
  const pc = partnerCommentary({ ...options, logger })
  onTestFinished(pc.stop)
  const server = createServer((request, response) => pc.node(Object.assign(request, { baseUrl: "/other" }), response))
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  for (const _ of [1, 2]) expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
  expect(warnings).toEqual([expect.stringContaining("set url to https://app.example/other.")])
})

it("the service answers while a test has replaced the global timers", async () => {
  vi.useFakeTimers({ toFake: ["setImmediate"] })
  onTestFinished(() => void vi.useRealTimers())
  const pc = partnerCommentary(options)
  onTestFinished(pc.stop)
  await pc.start()
  const server = createServer(pc.node)
  await once(server.listen(0, "127.0.0.1"), "listening")
  onTestFinished(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
})

describe("Handlers for Next.js", () => {
  const key = async (pc: ReturnType<typeof partnerCommentary>) => {
    const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
    const wanted = { name: "k", scopes: ["personas:read"] as const, ip_whitelist: ["203.0.113.9"] }
    return (await pc.apiKeys.create({ organization_id, ...wanted })).full_key
  }

  it("the handlers for Next.js answer without content-encoding, because Next.js deletes this header", async () => {
    const pc = partnerCommentary(options)
    onTestFinished(pc.stop)
    const asked = () => new Request(`${options.url}/openapi.json`, { headers: { "accept-encoding": "gzip" } })
    expect((await pc.fetch(asked())).headers.get("content-encoding")).toBe("gzip")
    const response = await pc.next.GET(asked())
    expect(response.headers.get("content-encoding")).toBeNull()
    expect(await response.json()).toHaveProperty("openapi")
  })

  it.each([
    [["10.0.0.0/8"], 200],
    [undefined, 401]
  ] as const)(
    "the handlers for Next.js read the client's address from a proxy only if trustedProxies is set: %o",
    async (trustedProxies, status) => {
      const pc = partnerCommentary({ ...options, trustedProxies })
      onTestFinished(pc.stop)
      const headers = { "x-api-key": await key(pc), "x-forwarded-for": "198.51.100.1, 203.0.113.9, 10.1.2.3" }
      const response = await pc.next.GET(new Request(`${options.url}/partner/v1/personas`, { headers }))
      expect(response.status).toBe(status)
    }
  )
})

describe("Failed starts", () => {
  it("a failed start rejects with one sentence that contains the reason and the name of the database file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "partner-commentary-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const pc = partnerCommentary({ ...options, database: sqlite(folder) })
    const error = await rejection(pc.start())
    const asked = await rejection(pc.fetch(new Request("https://app.example/commentary/healthz")))
    expect([asked.code, asked.message]).toEqual([error.code, error.message])
    expect([error.code, error.message]).toEqual([
      "start_failed",
      `The database ${folder} cannot be used: unable to open database file.`
    ])
  })

  it("the error of a failed start names the server that refuses connections, but not the password", async () => {
    const pc = partnerCommentary({ ...options, database: postgres("postgres://user:hidden@127.0.0.1:1/app") })
    const { code, message } = await rejection(pc.start())
    expect(code).toBe("start_failed")
    expect(message).toMatch(/^No server accepts connections at 127\.0\.0\.1 port 1, database app: .*ECONNREFUSED/)
    expect(message).not.toContain("hidden")
  })

  it("if a port cannot start, `start` rejects with an error that contains the option's name", async () => {
    const pc = partnerCommentary({
      ...options,
      mediaStorage: { folder: "/dev/null/media", url: "https://media.example" }
    })
    expect((await rejection(pc.start())).message).toMatch(/^The option mediaStorage cannot be used: /)
  })
})

describe("Loggers of the application", () => {
  const logged = (logger: Parameters<typeof Log.layer>[0]) =>
    Effect.logWarning("The queue is long").pipe(
      Effect.annotateLogs({ length: 3 }),
      Effect.provide(Log.layer(logger)),
      Effect.runPromise
    )

  const recorder = () => {
    const lines: Array<ReadonlyArray<unknown>> = []
    const write =
      (name: string) =>
      (...line: ReadonlyArray<unknown>) =>
        lines.push([name, ...line])
    return { lines, debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") }
  }

  it("a logger with the interface of console receives the message first, and then the fields", async () => {
    const console = recorder()
    await logged(console)
    expect(console.lines).toEqual([["warn", "The queue is long", { length: 3 }]])
  })

  it("a logger with the interface of pino receives the fields first, and then the message", async () => {
    const pino = { ...recorder(), bindings: () => ({}) }
    await logged(pino)
    expect(pino.lines).toEqual([["warn", { length: 3 }, "The queue is long"]])
  })

  it("an Effect logger receives the log entries without conversion", async () => {
    const messages: Array<unknown> = []
    await logged(Logger.make(({ message }) => messages.push(message)))
    expect(messages).toHaveLength(1)
  })
})
