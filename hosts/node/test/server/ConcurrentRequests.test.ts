/** Tests, on real sockets, how long a request holds a permit of the organization's concurrency limit. */
import { type AddressInfo, connect, type Socket } from "node:net"
import { ConcurrencyLimit, concurrencyPoolLimits } from "@partner-commentary/core/access/ConcurrencyLimit"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Listener from "@partner-commentary/node/server/Listener"
import * as ResponseEnd from "@partner-commentary/node/server/ResponseEnd"
import { ResponseEndObserver } from "@partner-commentary/server/ConcurrentRequests"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { describe, expect, it, onTestFinished } from "vitest"

const { each } = concurrencyPoolLimits.standard
const owner = "acme" as OrganizationId

/** The response is larger than all socket buffers together, so it stays unfinished while the client does not read. */
const large = new Uint8Array(32 * 1024 * 1024)

/**
 * The response of `/large` exceeds the socket's buffers. A request for `/never` runs until it is interrupted. The test
 * application answers all other paths immediately.
 */
const app = (seen: { begun: number; interrupted: number }) =>
  Effect.gen(function* () {
    const { withPermit } = yield* ConcurrencyLimit
    const request = yield* HttpServerRequest
    const work = Effect.suspend(() => {
      seen.begun++
      if (request.url === "/never")
        return Effect.onInterrupt(Effect.never, () => Effect.sync(() => void seen.interrupted++))
      return Effect.succeed(
        request.url === "/large" ? HttpServerResponse.uint8Array(large) : HttpServerResponse.text("ok")
      )
    })
    const taken = yield* ResponseEndObserver
    return yield* Effect.orDie(Effect.interruptible(withPermit("standard", owner, work, taken(request))))
  })

const serve = async () => {
  const seen = { requests: 0, connections: 0, begun: 0, interrupted: 0 }
  const closing = Promise.withResolvers<void>()
  const bound = Promise.withResolvers<number>()
  const running = Effect.runPromise(
    Effect.gen(function* () {
      const { native, open, server } = yield* Listener.bindPort("127.0.0.1", 0, "PORT")
      yield* server.serve(app(seen))
      native.on("request", () => seen.requests++)
      native.on("connection", (socket) => {
        seen.connections++
        socket.on("close", () => seen.connections--)
      })
      yield* open
      bound.resolve((native.address() as AddressInfo).port)
      yield* Effect.promise(() => closing.promise)
    }).pipe(Effect.scoped, Effect.provide([ConcurrencyLimit.layer, ResponseEnd.layer]))
  )
  onTestFinished(async () => {
    closing.resolve()
    await running
  })
  const port = await bound.promise
  /** Opens a connection, sends a request and never reads the response. */
  const ask = (path: string): Socket => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`))
    onTestFinished(() => void socket.destroy())
    return socket.pause().on("error", () => {})
  }
  const askEach = (count: number, path: string) => Array.from({ length: count }, () => ask(path))
  const begun = (count: number) => expect.poll(() => seen.begun).toBe(count)
  return { seen, ask, askEach, begun }
}

describe("permits of an organization", () => {
  it("an organization's permit is held until the client has read the response or has disconnected", async () => {
    const { askEach, begun, seen } = await serve()
    const readers = askEach(each, "/large")
    await begun(each)
    askEach(2, "/never")
    await expect.poll(() => seen.requests).toBe(each + 2)
    expect(seen.begun).toBe(each)
    readers[0]?.resume()
    await begun(each + 1)
    readers[1]?.destroy()
    await begun(each + 2)
  })

  it("a waiting request gets no permit after its client has disconnected, and a running request releases its permit when its client disconnects", async () => {
    const { ask, askEach, begun, seen } = await serve()
    const working = askEach(each, "/never")
    await begun(each)
    const waiting = askEach(10, "/never")
    await expect.poll(() => seen.requests).toBe(each + 10)
    for (const socket of waiting) socket.destroy()
    await expect.poll(() => seen.connections).toBe(each)
    working[0]?.destroy()
    await expect.poll(() => seen.interrupted).toBe(1)
    await new Promise((resolve) => ask("/").once("data", resolve).resume())
    expect(seen.begun).toBe(each + 1)
  })
})
