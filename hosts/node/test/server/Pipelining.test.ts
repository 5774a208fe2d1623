import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import * as MalformedRequests from "@partner-commentary/node/server/MalformedRequests"
import * as Pipelining from "@partner-commentary/node/server/Pipelining"
import * as RequestGateChain from "@partner-commentary/node/server/RequestGateChain"
import { describe, expect, it, onTestFinished } from "vitest"

/** Starts a server that records its requests and answers them with the given function. */
const serve = async (respond: (response: ServerResponse, asked: ReadonlyArray<ServerResponse>) => void) => {
  const asked: Array<ServerResponse> = []
  const native = createServer({ requireHostHeader: false }, (request, response) => {
    request.resume()
    asked.push(response)
    respond(response, asked)
  })
  const gate = RequestGateChain.make(native)
  MalformedRequests.handleMalformedRequests(native, gate, () => ({}))
  Pipelining.limitPipelining(gate, () => ({ "X-RateLimit-Limit": "300" }))
  onTestFinished(() => void native.close().closeAllConnections())
  await new Promise<void>((resolve) => native.listen(0, "127.0.0.1", resolve))
  return { asked, port: (native.address() as AddressInfo).port }
}

const talk = (port: number, bytes: string) => {
  let heard = ""
  const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
  socket.setEncoding("latin1").on("data", (text) => {
    heard += text
  })
  onTestFinished(() => void socket.destroy())
  const closed = new Promise<string>((resolve) => {
    socket.on("error", () => {}).on("close", () => resolve(heard))
  })
  return {
    socket,
    closed,
    heard: () => heard,
    statuses: () => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  }
}

const get = "GET /docs/scalar.js HTTP/1.1\r\nHost: a\r\n\r\n"
const last = get.replace("Host: a", "Host: a\r\nConnection: close")
const post = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"

/**
 * Waits for a response on another connection. When the response arrives, the server has handled all bytes that clients
 * sent before.
 */
const roundTrip = (port: number) => talk(port, last).closed

describe("pipelined requests of one connection", () => {
  it("pipelined requests run one after another: each request starts after the previous response was read, and the responses keep the order", async () => {
    const { asked, port } = await serve((response, all) => void response.end(`${all.length}`.repeat(4 * 1024 * 1024)))
    const { closed, heard, socket } = talk(port, "")
    socket.pause()
    socket.write(get.repeat(3))
    await expect.poll(() => asked.length).toBe(1)
    // Further bytes from the client must not start the next request.
    socket.write(last)
    await roundTrip(port)
    expect(asked.length).toBe(2)
    socket.resume()
    await closed
    const bodies = [...heard().matchAll(/\r\n\r\n(\d)\1*(?!\d)/g)].map(([, digit]) => digit)
    expect(bodies).toEqual(["1", "3", "4", "5"])
  })

  it("waiting pipelined requests are dropped when their client disconnects", async () => {
    const { asked, port } = await serve((response, all) => void (all.length > 1 && response.end("ok")))
    const { socket } = talk(port, get.repeat(5))
    await expect.poll(() => asked.length).toBe(1)
    const gone = new Promise((resolve) => asked[0]?.on("close", resolve))
    socket.destroy()
    await gone
    await roundTrip(port)
    expect(asked.length).toBe(2)
  })

  for (const request of [get, post]) {
    it(`pipelined ${request.slice(0, 4)} requests wait up to a limit, and the first request above the limit is refused after the earlier responses`, async () => {
      const { asked, port } = await serve((response, all) => {
        // Wait until all pipelined requests have arrived.
        if (all.length === 1) setTimeout(() => response.end("ok"), 50)
        else response.end("ok")
      })
      const { closed, statuses } = talk(port, request.repeat(200))
      const heard = await closed
      expect(asked.length).toBe(Pipelining.maxPipelinedRequests)
      expect(statuses()).toEqual([...asked.map(() => "200"), "429"])
      const last = heard.slice(heard.lastIndexOf("HTTP/1.1"))
      expect(last).toMatch(/^Retry-After: 1\r$/m)
      expect(last).toMatch(/^Connection: close\r$/m)
      expect(last).toMatch(/^X-RateLimit-Limit: 300\r$/m)
      expect(JSON.parse(last.slice(last.indexOf("{"))).error).toMatchObject({ code: "rate_limit_exceeded" })
    })
  }

  it("one connection can send any number of requests one after another", async () => {
    const { asked, port } = await serve((response) => void setTimeout(() => response.end("ok"), 1))
    const { socket, statuses } = talk(port, "")
    for (let round = 1; round <= 10; round++) {
      socket.write(get.repeat(20))
      await expect.poll(() => statuses().length, { timeout: 20_000, interval: 5 }).toBe(round * 20)
    }
    expect(new Set(statuses())).toEqual(new Set(["200"]))
    expect(asked.length).toBe(200)
  })

  it("the server closes a connection that sends too many pipelined requests", async () => {
    const { asked, port } = await serve(() => {})
    const { closed } = talk(port, get.repeat(50_000))
    await closed
    expect(asked.length).toBe(1)
  })
})
