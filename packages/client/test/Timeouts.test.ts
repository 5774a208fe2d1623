/** Tests timeouts and aborts over real sockets. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { ConnectionError, PartnerCommentary, TimeoutError } from "@partner-commentary/client"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { catchRejection } from "./ScriptedService.ts"

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void

const servers: Array<ReturnType<typeof createServer>> = []
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0))
afterEach(async () => {
  vi.restoreAllMocks()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const serve = async (handler: Handler) => {
  let count = 0
  const server = createServer((request, response) => handler(request, response, ++count))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { baseUrl, requests: () => count }
}

const good = (response: ServerResponse) => {
  response.setHeader("content-type", "application/json")
  response.end('{"success":true,"data":[]}')
}

const apiKey = "pk_test_a"

it("an attempt that exceeds the timeout is retried", async () => {
  const { baseUrl, requests } = await serve((_, response, count) => {
    if (count > 1) good(response)
  })
  // A timeout of a second is safe on slow machines, because the server responds to the second attempt immediately.
  const client = new PartnerCommentary({ apiKey, baseUrl, timeoutMs: 1000 })
  expect(await client.personas.list()).toEqual([])
  expect(requests()).toBe(2)
})

it("an invalid numeric option is rejected before a request is sent, and the error contains the option's name", async () => {
  const { baseUrl, requests } = await serve((_, response) => good(response))
  const wrong = [-1, Number.NaN, "x", null] as ReadonlyArray<unknown> as ReadonlyArray<number>
  for (const name of ["timeoutMs", "maxRetries", "maxRetryWaitMs"] as const) {
    for (const value of wrong) {
      expect(() => new PartnerCommentary({ apiKey, baseUrl, [name]: value })).toThrow(
        `${name} must be a number of at least 0`
      )
    }
  }
  const client = new PartnerCommentary({ apiKey, baseUrl, timeoutMs: Number.POSITIVE_INFINITY })
  for (const name of ["timeoutMs", "maxRetries"] as const) {
    for (const value of wrong) {
      await expect(client.personas.list({ [name]: value })).rejects.toThrow(`${name} must be a number of at least 0`)
    }
  }
  expect(requests()).toBe(0)
  expect(await client.personas.list({ timeoutMs: undefined })).toEqual([])
})

it("the timeout of an attempt includes the time until the last byte of the response", async () => {
  const { baseUrl } = await serve((_, response) => {
    response.writeHead(200, { "content-type": "application/json" })
    response.write('{"success":')
  })
  const client = new PartnerCommentary({ apiKey, baseUrl, timeoutMs: 100, maxRetries: 0 })
  const error = await catchRejection(client.personas.list())
  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toBeInstanceOf(ConnectionError)
  expect(String(error)).toMatch(/No answer within 100 ms \(request [0-9a-f-]{36}\)/)
})

it("an attempt ends at its timeout even if the custom fetch ignores the signal", async () => {
  const fetch = () => new Promise<Response>(() => undefined)
  const client = new PartnerCommentary({ apiKey, baseUrl: "https://api.example", fetch, timeoutMs: 20, maxRetries: 0 })
  expect(await catchRejection(client.personas.list())).toBeInstanceOf(TimeoutError)
})

it("an aborted call rejects with the reason of the signal and closes the connection", async () => {
  const closed = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const { baseUrl, requests } = await serve((request) => {
    request.socket.on("close", () => closed.resolve())
    arrived.resolve()
  })
  const client = new PartnerCommentary({ apiKey, baseUrl })
  const controller = new AbortController()
  const call = catchRejection(client.personas.list({ signal: controller.signal }))
  await arrived.promise
  controller.abort()
  expect(await call).toBe(controller.signal.reason)
  expect(await call).toMatchObject({ name: "AbortError" })
  await closed.promise
  expect(requests()).toBe(1)
})

it("a call with an aborted signal sends no request", async () => {
  const { baseUrl, requests } = await serve((_, response) => good(response))
  const client = new PartnerCommentary({ apiKey, baseUrl })
  expect(await catchRejection(client.personas.list({ signal: AbortSignal.abort(new Error("no")) }))).toEqual(
    new Error("no")
  )
  expect(requests()).toBe(0)
})

it("a call with AbortSignal.timeout rejects with the error of that signal", async () => {
  const { baseUrl } = await serve(() => undefined)
  const client = new PartnerCommentary({ apiKey, baseUrl })
  const error = await catchRejection(client.personas.list({ signal: AbortSignal.timeout(50) }))
  expect(error).toBeInstanceOf(DOMException)
  expect(error).not.toBeInstanceOf(TimeoutError)
})

it("a connection that breaks mid-response is retried with the same idempotency key", async () => {
  const keys: Array<unknown> = []
  const { baseUrl } = await serve((request, response, count) => {
    keys.push(request.headers["idempotency-key"])
    if (count > 1) return good(response)
    response.writeHead(201, { "content-type": "application/json" })
    response.write('{"success":')
    setTimeout(() => request.socket.destroy(), 10)
  })
  const client = new PartnerCommentary({ apiKey, baseUrl })
  await client.topics.create({ content: "Who wins the derby?", persona_ids: ["a"] })
  expect(keys).toHaveLength(2)
  expect(keys[0]).toBe(keys[1])
})

it("the error of a refused connection contains the reason", async () => {
  const { baseUrl } = await serve(() => undefined)
  const server = servers.pop()
  await new Promise((resolve) => server?.close(resolve))
  const client = new PartnerCommentary({ apiKey, baseUrl, maxRetries: 0 })
  expect(String(await catchRejection(client.personas.list()))).toMatch(/ECONNREFUSED/)
})

it("a redirect is not followed, so that the key is not sent to another server", async () => {
  const elsewhere = await serve((_, response) => good(response))
  const { baseUrl } = await serve((_, response) => {
    response.writeHead(302, { location: elsewhere.baseUrl })
    response.end()
  })
  const client = new PartnerCommentary({ apiKey, baseUrl, maxRetries: 0 })
  expect(await catchRejection(client.personas.list())).toMatchObject({ name: "UnexpectedAnswerError", status: 302 })
  expect(elsewhere.requests()).toBe(0)
})
