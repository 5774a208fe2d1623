import type { ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import * as Listener from "@partner-commentary/node/server/Listener"
import type { SlowReaderBounds } from "@partner-commentary/node/server/SlowReaders"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished } from "vitest"

it("a request that trickles in is given up within seconds of its minute", async () => {
  const patience = await Effect.runPromise(
    Effect.scoped(
      Effect.map(Listener.bind("127.0.0.1", 0, "PORT"), ({ native }) => ({
        whole: native.requestTimeout,
        headers: native.headersTimeout
      }))
    )
  )
  expect(patience).toEqual({ whole: 60_000, headers: 20_000 })
})

it("an idle connection stays open for longer than the 60 seconds of common load balancers", async () => {
  const { keepAliveTimeout } = await Effect.runPromise(
    Effect.scoped(Effect.map(Listener.bind("127.0.0.1", 0, "PORT"), ({ native }) => native))
  )
  expect(keepAliveTimeout).toBe(65_000)
})

const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

/** More than the machine takes off our hands for a reader that does not read. */
const answer = Buffer.alloc(32 * 1024 * 1024)

/** A listener with a short patience, whose answers take this long to be made. */
const serve = async (
  patience: number,
  {
    after = 0,
    body = answer,
    keepAlive = Duration.seconds(65),
    slow
  }: { after?: number; body?: Buffer; keepAlive?: Duration.Duration; slow?: SlowReaderBounds } = {}
) => {
  const closing = Promise.withResolvers<void>()
  const bound = Promise.withResolvers<number>()
  /** The connection of the first answer that was made, and how it stood then. */
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
        const { native, open } = yield* Listener.bind("127.0.0.1", 0, "PORT", {
          keepAlive,
          untaken: patience,
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

/** Asks, and takes nothing of what comes. */
const ask = (port: number, text = request) => {
  const socket = connect(port, "127.0.0.1", () => socket.write(text))
  socket.pause().on("error", () => {})
  onTestFinished(() => void socket.destroy())
  return socket
}

describe("an answer that nobody takes", () => {
  for (const [what, text] of [
    ["one", request],
    ["the first of several", request.repeat(20)]
  ] as const) {
    it(`is given up with its connection: ${what}`, async () => {
      const { ended, made, port } = await serve(200)
      ask(port, text)
      const { waiting, wasDestroyed } = await made
      expect(waiting).toBeGreaterThan(0)
      expect(wasDestroyed).toBe(false)
      await ended
    })
  }

  it("is given up also where it took longer than that to be made", async () => {
    const { ended, made, port } = await serve(200, { after: 700 })
    ask(port)
    const { waiting, wasDestroyed } = await made
    expect(wasDestroyed).toBe(false)
    expect(waiting).toBeGreaterThan(0)
    await ended
  })

  it("is not given up while a little of it is taken now and then, nor one that is still being made", async () => {
    const { made, port } = await serve(1000, { after: 1500 })
    const socket = ask(port)
    let taken = 0
    socket.on("data", (bytes: Buffer) => {
      taken += bytes.length
      // Some megabytes at a time: as much as makes the machine ask for more.
      if (taken % (4 << 20) < bytes.length) socket.pause()
    })
    socket.pause()
    const reading = setInterval(() => socket.resume(), 200)
    onTestFinished(() => clearInterval(reading))
    await expect.poll(() => taken, { timeout: 20_000, interval: 50 }).toBeGreaterThan(answer.length)
    const { socket: served, wasDestroyed } = await made
    expect([wasDestroyed, served.destroyed]).toEqual([false, false])
  })

  /** Takes a little every few milliseconds, so that the connection is never idle. */
  const trickle = (socket: Socket, bytes: number) => {
    let taken = 0
    const reading = setInterval(() => {
      taken += (socket.read(Math.min(bytes, socket.readableLength)) as Buffer | null)?.length ?? 0
    }, 5)
    onTestFinished(() => clearInterval(reading))
    return () => taken
  }

  it("ends with its connection where it is taken more slowly than its size allows, though never idle", async () => {
    const slow = { grace: 200, bytesPerSecond: 64 * 1024 * 1024, interval: 20 }
    const { ended, made, port } = await serve(60_000, { slow })
    const socket = ask(port)
    const taken = trickle(socket, 16 * 1024)
    expect((await made).waiting).toBeGreaterThan(0)
    await ended
    expect(taken()).toBeGreaterThan(0)
    expect(taken()).toBeLessThan(answer.length)
  })

  it("is waited for as long as its size takes at the lowest speed", async () => {
    const slow = { grace: 50, bytesPerSecond: 1024, interval: 20 }
    const { made, port } = await serve(60_000, { slow })
    const socket = ask(port)
    const taken = trickle(socket, 4 * 1024 * 1024)
    const { socket: served } = await made
    await expect.poll(taken, { timeout: 20_000, interval: 50 }).toBeGreaterThan(answer.length)
    expect(served.destroyed).toBe(false)
  })

  it("leaves the next request of its connection alone", async () => {
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

it("an idle connection serves the next request, and is closed when its time is over", async () => {
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
