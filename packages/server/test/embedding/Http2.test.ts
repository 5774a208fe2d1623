import * as Http2 from "node:http2"
import type { AddressInfo } from "node:net"
import type { WebHandler } from "@partner-commentary/server/embedding/WebHandler"
import * as NodeListener from "@partner-commentary/server/NodeListener"
import { describe, expect, it } from "vitest"

interface Test {
  readonly onTestFinished: (cleanUp: () => Promise<void>) => void
}

/** Serves over HTTP/2, and returns a session of a client. */
const connect = async (test: Test, handle: WebHandler["Service"]["handle"]) => {
  const answer = NodeListener.make({ handle }, () => {})
  const server = Http2.createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const session = Http2.connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  test.onTestFinished(async () => {
    session.destroy()
    server.close()
  })
  return session
}

describe("Node listener over HTTP/2", () => {
  it("ends a streamed response when the client closes its session", async (test) => {
    const cancelled = Promise.withResolvers<void>()
    const body = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(Buffer.from("first")),
        cancel: () => cancelled.resolve()
      })
    const session = await connect(test, async () => ({ status: 200, headers: {}, body: body() }))
    const stream = session.request({ ":path": "/" })
    await new Promise((resolve) => stream.once("data", resolve))
    session.destroy()
    await cancelled.promise
  })

  it("discards the rest of a request body after the response, so that the request completes", async (test) => {
    const session = await connect(test, async () => ({ status: 401, headers: {}, body: "refused" }))
    const stream = session.request({ ":path": "/", ":method": "POST" })
    const status = new Promise((resolve) => stream.once("response", (headers) => resolve(headers[":status"])))
    const closed = new Promise((resolve) => stream.once("close", () => resolve("closed")))
    // The body is larger than the window of HTTP/2's flow control.
    stream.end(Buffer.alloc(500_000))
    stream.resume()
    expect([await status, await closed]).toEqual([401, "closed"])
  })
})
