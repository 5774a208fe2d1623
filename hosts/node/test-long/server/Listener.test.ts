import type { ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import * as Listener from "@partner-commentary/node/server/Listener"
import type { SlowReaderLimits } from "@partner-commentary/node/server/SlowReaders"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished } from "vitest"

it("a request that has not arrived completely after one minute is refused within a few seconds", async () => {
  const patience = await Effect.runPromise(
    Effect.scoped(
      Effect.map(Listener.bindPort("127.0.0.1", 0, "PORT"), ({ native }) => ({
        whole: native.requestTimeout,
        headers: native.headersTimeout
      }))
    )
  )
  expect(patience).toEqual({ whole: 60_000, headers: 20_000 })
})

it("an idle connection stays open for longer than the 60 seconds of common load balancers", async () => {
  const { keepAliveTimeout } = await Effect.runPromise(
    Effect.scoped(Effect.map(Listener.bindPort("127.0.0.1", 0, "PORT"), ({ native }) => native))
  )
  expect(keepAliveTimeout).toBe(65_000)
})

const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/** The response is larger than all socket buffers together, so it stays unfinished while the client does not read. */
const answer = Buffer.alloc(32 * 1024 * 1024)

/** Starts a listener with short timeouts. `after` is the delay of the listener's responses. */
const serve = async (
  patience: number,
  {
    after = 0,
    body = answer,
    keepAlive = Duration.seconds(65),
    slow
  }: { after?: number; body?: Buffer; keepAlive?: Duration.Duration; slow?: SlowReaderLimits } = {}
) => {
  const closing = Promise.withResolvers<void>()
  const bound = Promise.withResolvers<number>()
  /** Returns the connection of the first response, and the state of the connection when the response was created. */
  const made = Promise.withResolvers<{ socket: Socket; wasDestroyed: boolean; waiting: number }>()
  const ended = Promise.withResolvers<void>()
  let connections = 0
  const respond = (socket: Socket, response: ServerResponse) => {
    const wasDestroyed = socket.destroyed
    response.end(body)
    made.resolve({ socket, wasDestroyed, waiting: socket.writableLength })
  }
  const running = Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { native, open } = yield* Listener.bindPort("127.0.0.1", 0, "PORT", {
          keepAlive,
          stallTimeout: patience,
          ...(slow === undefined ? {} : { slow })
        })
        native.on("connection", (socket) => {
          connections += 1
          socket.on("close", () => ended.resolve())
        })
        native.on("request", ({ socket }, response) => void setTimeout(() => respond(socket, response), after))
        yield* open
        bound.resolve((native.address() as AddressInfo).port)
        yield* Effect.promise(() => closing.promise)
      })
    )
  )
  onTestFinished(async () => {
    closing.resolve()
    await running
  })
  const port = await bound.promise
  return { port, made: made.promise, ended: ended.promise, connections: () => connections }
}

/** Sends a request and does not read the response. */
const ask = (port: number, text = request) => {
  const socket = connect(port, "127.0.0.1", () => socket.write(text))
  socket.pause().on("error", () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

describe("an unread response", () => {
  for (const [what, text] of [
    ["a single response", request],
    ["the first of several responses", request.repeat(20)]
  ] as const) {
    it(`the server closes the connection if the client does not read ${what}`, async () => {
      const { ended, made, port } = await serve(200)
      ask(port, text)
      const { waiting, wasDestroyed } = await made
      expect(waiting).toBeGreaterThan(0)
      expect(wasDestroyed).toBe(false)
      await ended
    })
  }

  it("an unread response is dropped even if the server prepared the response for longer than the timeout", async () => {
    const { ended, made, port } = await serve(200, { after: 700 })
    ask(port)
    const { waiting, wasDestroyed } = await made
    expect(wasDestroyed).toBe(false)
    expect(waiting).toBeGreaterThan(0)
    await ended
  })

  it("a connection stays open while the server prepares the response, and while the client reads the response in small parts", async () => {
    const { made, port } = await serve(1000, { after: 1500 })
    const socket = ask(port)
    let taken = 0
    socket.on("data", (bytes: Buffer) => {
      taken += bytes.length
      // The client reads some megabytes at a time, so that its TCP receive window opens again.
      if (taken % (4 << 20) < bytes.length) socket.pause()
    })
    socket.pause()
    const reading = setInterval(() => socket.resume(), 200)
    onTestFinished(() => clearInterval(reading))
    await expect.poll(() => taken, { timeout: 20_000, interval: 50 }).toBeGreaterThan(answer.length)
    const { socket: served, wasDestroyed } = await made
    expect([wasDestroyed, served.destroyed]).toEqual([false, false])
  })

  /** Reads a few bytes every 5 milliseconds, so that the connection is never idle. */
  const trickle = (socket: Socket, bytes: number) => {
    let taken = 0
    const reading = setInterval(() => {
      taken += (socket.read(Math.min(bytes, socket.readableLength)) as Buffer | null)?.length ?? 0
    }, 5)
    onTestFinished(() => clearInterval(reading))
    return () => taken
  }

  it("the server closes a connection whose client reads too slowly for the response's size, although the connection is never idle", async () => {
    const slow = { grace: 200, bytesPerSecond: 64 * 1024 * 1024, interval: 20 }
    const { ended, made, port } = await serve(60_000, { slow })
    const socket = ask(port)
    const taken = trickle(socket, 16 * 1024)
    expect((await made).waiting).toBeGreaterThan(0)
    await ended
    expect(taken()).toBeGreaterThan(0)
    expect(taken()).toBeLessThan(answer.length)
  })

  it("a client may take as long to read a response as the response's size requires at the lowest allowed speed", async () => {
    const slow = { grace: 50, bytesPerSecond: 1024, interval: 20 }
    const { made, port } = await serve(60_000, { slow })
    const socket = ask(port)
    const taken = trickle(socket, 4 * 1024 * 1024)
    const { socket: served } = await made
    await expect.poll(taken, { timeout: 20_000, interval: 50 }).toBeGreaterThan(answer.length)
    expect(served.destroyed).toBe(false)
  })

  it("a client that reads a response late can use the same connection for its next request", async () => {
    const { connections, port } = await serve(200, { after: 300, body: Buffer.from("ok") })
    const socket = ask(port, "")
    let heard = ""
    socket.on("data", (bytes) => {
      heard += bytes
    })
    socket.resume()
    for (let round = 1; round <= 4; round++) {
      socket.write(request)
      await expect.poll(() => heard.match(/200 OK/g)?.length, { timeout: 20_000, interval: 5 }).toBe(round)
    }
    expect(connections()).toBe(1)
  })
})

it("an idle connection accepts the next request, and is closed after the keep-alive time", async () => {
  const keepAlive = Duration.millis(200)
  const { connections, port } = await serve(60_000, { body: Buffer.from("ok"), keepAlive })
  const socket = ask(port)
  const closed = new Promise((resolve) => socket.once("close", resolve))
  let heard = ""
  socket.on("data", (bytes) => {
    heard += bytes
    if (heard.match(/200 OK/g)?.length === 1) socket.write(request)
  })
  socket.resume()
  await closed
  expect(heard.match(/200 OK/g)).toHaveLength(2)
  expect(connections()).toBe(1)
})
