import { EventEmitter } from "node:events"
import { Agent, createServer, type RequestListener, request } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as pause } from "node:timers/promises"
import type { HostRequestInfo, WebHandler } from "@partner-commentary/server/embedding/WebHandler"
import * as WebRequest from "@partner-commentary/server/http/WebRequest"
import * as NodeListener from "@partner-commentary/server/NodeListener"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import { describe, expect, it } from "vitest"

type Fetch = (request: Request, sent?: HostRequestInfo) => Promise<Response>

interface Test {
  readonly onTestFinished: (cleanUp: () => Promise<void>) => void
}

/** Creates a web handler that passes each request to the function `fetch` as a web Request. */
const makeWebHandler = (fetch: Fetch): Pick<WebHandler["Service"], "handle"> => ({
  handle: async ({ source }, sent) => {
    const { body, headers, method, signal, url } = source as Request
    const init = { method, headers, signal, ...(body === null ? {} : { body, duplex: "half" }) }
    const response = await fetch(WebRequest.make(url, init), sent)
    return { status: response.status, headers: Object.fromEntries(response.headers), body: response.body }
  }
})

const listen = (test: Test, fetch: Fetch, report: (error: unknown) => void = () => {}) => {
  const answer = NodeListener.make(makeWebHandler(fetch), report)
  return serve(test, (request, response) => void answer(request, response))
}

const serve = async (test: Test, listener: RequestListener) => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  test.onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  )
  return (server.address() as AddressInfo).port
}

interface Call {
  readonly method?: string
  readonly path?: string
  readonly body?: string | Buffer
  readonly agent?: Agent
}

const call = (port: number, { agent, body, method = "POST", path = "/" }: Call) =>
  new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const sent = request({ port, host: "127.0.0.1", method, path, ...(agent === undefined ? {} : { agent }) })
    sent.on("error", reject)
    sent.on("response", (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk
      })
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
    })
    sent.end(body)
  })

describe("Node listener", () => {
  it("a Node listener reports the end of a response only after the client has read the response", async (test) => {
    const taken = Promise.withResolvers<void>()
    let isTaken = false
    const port = await listen(test, (_, sent) => {
      sent?.whenResponseEnds?.(() => {
        isTaken = true
        taken.resolve()
      })
      return Promise.resolve(new Response(new Uint8Array(32 * 1024 * 1024)))
    })
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
    test.onTestFinished(async () => void socket.destroy())
    await new Promise<void>((resolve) => socket.once("readable", resolve))
    expect(isTaken).toBe(false)
    socket.resume()
    await taken.promise
  })

  it("a closed connection aborts all its requests, including pipelined requests that wait for their turn", async (test) => {
    const aborted: Array<Promise<void>> = []
    const all = Promise.withResolvers<void>()
    const port = await listen(test, ({ signal }, sent) => {
      aborted.push(
        new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
        new Promise((resolve) => sent?.whenResponseEnds?.(resolve))
      )
      if (aborted.length === 6) all.resolve()
      return new Promise(() => {})
    })
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3)))
    await all.promise
    socket.destroy()
    await Promise.all(aborted)
  })

  it("a Node listener adds one close listener for each connection, even for many requests", async (test) => {
    const all = Promise.withResolvers<Socket>()
    let begun = 0
    const listener = NodeListener.make(
      makeWebHandler(() => new Promise(() => {})),
      () => {}
    )
    const server = createServer((request, response) => {
      void listener(request, response)
      if (++begun === 12) all.resolve(request.socket)
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(12)))
    test.onTestFinished(async () => {
      socket.destroy()
      server.close()
    })
    expect((await all.promise).listenerCount("close")).toBeLessThan(11)
  })

  it("a closed socket aborts a request even if the response gets no close event, as before Node 24", async () => {
    const socket = new EventEmitter()
    const none = () => undefined
    const response = { headersSent: false, writableFinished: false, on: none, writeHead: none, write: () => true }
    const answer = NodeListener.make(
      makeWebHandler(
        ({ signal }) =>
          new Promise((resolve) => signal.addEventListener("abort", () => resolve(new Response(null, { status: 204 }))))
      ),
      () => {}
    )
    const request = { headers: {}, socket, readableEnded: true, on: none, pause: none, resume: none }
    const answered = answer(request, { ...response, end: none, destroy: none })
    socket.emit("close")
    await answered
    expect(socket.listenerCount("close")).toBe(1)
  })

  it("a Node listener passes the client's address and the original request target to the service", async (test) => {
    const port = await listen(test, (request, sent) =>
      Promise.resolve(Response.json({ ...sent, method: request.method, url: request.url.replace(/:\d+/, "") }))
    )
    const told = async (made: Call) => JSON.parse((await call(port, made)).text)
    const shared = { address: "127.0.0.1", method: "GET" }
    const dots = await told({ method: "GET", path: "/a/../b?c=%31" })
    expect(dots).toEqual({ ...shared, target: "/a/../b?c=%31", url: "http://127.0.0.1/b?c=%31" })
    expect(await told({ method: "GET", path: "//a" })).toMatchObject({ target: "//a" })
    expect(await told({ method: "TRACE" })).toMatchObject({ method: "TRACE" })
  })

  it("a Node listener reuses a connection whose previous request body was not read", async (test) => {
    const answer = NodeListener.make(
      makeWebHandler(() => Promise.resolve(new Response("unread"))),
      () => {}
    )
    const connections = new Set<Socket>()
    const port = await serve(test, (request, response) => {
      connections.add(request.socket)
      void answer(request, response)
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const body = Buffer.alloc(3 * 1024 * 1024)
    for (let count = 0; count < 4; count++) {
      expect(await call(port, { body, agent })).toEqual({ status: 200, text: "unread" })
    }
    expect(connections.size).toBe(1)
    agent.destroy()
  })

  it("a Node listener reads a request body with backpressure and passes on every byte", async (test) => {
    let waiting: ReadableStreamDefaultReader<Uint8Array> | undefined
    let finish: (response: Response) => void = () => {}
    const port = await listen(test, (request) => {
      waiting = request.body?.getReader()
      return new Promise((resolve) => {
        finish = resolve
      })
    })
    const size = 64 * 1024 * 1024
    const sent = request({ port, host: "127.0.0.1", method: "POST" })
    const answered = new Promise<number>((resolve, reject) => {
      sent.on("error", reject).on("response", (response) => resolve(response.resume().statusCode ?? 0))
    })
    sent.end(Buffer.alloc(size))
    while (waiting === undefined) await pause(5)
    await pause(200)
    expect(sent.writableFinished).toBe(false)
    let read = 0
    for (;;) {
      const { done, value } = await waiting.read()
      if (done) break
      read += value.length
    }
    expect(read).toBe(size)
    finish(new Response("read"))
    expect(await answered).toBe(200)
  })

  it("a Node listener writes a response with backpressure, and stops when the client disconnects", async (test) => {
    let made = 0
    let ended: unknown
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          made += 64 * 1024
          controller.enqueue(new Uint8Array(64 * 1024))
        },
        cancel: (reason) => {
          ended = reason ?? true
        }
      })
    const port = await listen(test, () => Promise.resolve(new Response(body())))
    const sent = request({ port, host: "127.0.0.1" }).end()
    const response = await new Promise<{ readonly destroy: () => void }>((resolve) => sent.on("response", resolve))
    let before = -1
    while (made !== before) {
      before = made
      await pause(200)
    }
    expect(made).toBeLessThan(64 * 1024 * 1024)
    response.destroy()
    while (ended === undefined) await pause(5)
  })

  it("a Node listener aborts the request when the client disconnects before the response", async (test) => {
    let asked: Request | undefined
    const port = await listen(test, (request) => {
      asked = request
      return new Promise(() => {})
    })
    const sent = request({ port, host: "127.0.0.1", method: "POST" }).on("error", () => {})
    sent.write("begun")
    while (asked === undefined) await pause(5)
    expect(asked.signal.aborted).toBe(false)
    sent.destroy()
    while (!asked.signal.aborted) await pause(5)
    await expect(asked.text()).rejects.toBeDefined()
  })

  it.for([
    ["JSON", "application/json", { content: "Zoë", ids: [1] }, '{"content":"Zoë","ids":[1]}'],
    ["a JSON null", "application/json", null, "null"],
    ["a form", "application/x-www-form-urlencoded", { a: "1 & 2", b: ["x", "y"] }, "a=1+%26+2&b=x&b=y"],
    ["text", "text/plain", "as sent", "as sent"],
    ["bytes", "application/json", Buffer.from("{ }"), "{ }"]
  ] as const)(
    "a Node listener accepts %s from a body parser that ran before the listener",
    async ([_, type, parsed, text], test) => {
      const answer = NodeListener.make(
        makeWebHandler(async (request) => new Response(await request.text())),
        () => {}
      )
      const port = await serve(test, (request, response) => {
        request.resume()
        request.headers["content-type"] = type
        request.on("end", () => void answer(Object.assign(request, { body: parsed }), response))
      })
      expect(await call(port, { body: "was read" })).toEqual({ status: 200, text })
    }
  )

  it("a Node listener passes on the whole body even if a middleware also listens to the body", async (test) => {
    const { handle } = makeWebHandler(async (request) => new Response(await request.text()))
    const answer = NodeListener.make({ handle: (...call) => pause(50).then(() => handle(...call)) }, () => {})
    const port = await serve(test, (request, response) => {
      request.on("data", () => {})
      void answer(request, response)
    })
    expect(await call(port, { body: "read twice" })).toEqual({ status: 200, text: "read twice" })
  })

  it("a Node listener accepts a parsed body whose JSON has more bytes than the client sent", async (test) => {
    const read = ({ text }: HttpServerRequest.HttpServerRequest) =>
      Effect.runPromise(Effect.provideService(text, MaxBodySize, ByteSize.bytes(1000)))
    const answer = NodeListener.make(
      { handle: async (request) => ({ status: 200, headers: {}, body: await read(request) }) },
      () => {}
    )
    const port = await serve(test, (request, response) => {
      request.resume()
      request.headers["content-type"] = "application/json"
      request.on("end", () => void answer(Object.assign(request, { body: { limit: 1e20 } }), response))
    })
    expect((await call(port, { body: '{"limit":1e20}' })).text).toBe('{"limit":100000000000000000000}')
  })

  it("a Node listener accepts upper-case header names and values with spaces that an application sets", async (test) => {
    const answer = NodeListener.make(
      { handle: ({ headers }) => Promise.resolve({ status: 200, headers: {}, body: String(headers["x-api-key"]) }) },
      () => {}
    )
    const port = await serve(test, (request, response) => {
      request.headers["X-Api-Key"] = " key "
      void answer(request, response)
    })
    expect((await call(port, {})).text).toBe("key")
  })

  it("a Node listener reports the end of a response whose client left before the listener ran", async (test) => {
    const ended = Promise.withResolvers<boolean>()
    const answer = NodeListener.make(
      {
        handle: ({ source }, { whenResponseEnds }) => {
          whenResponseEnds?.(() => ended.resolve((source as Request).signal.aborted))
          return new Promise(() => {})
        }
      },
      () => {}
    )
    const arrived = Promise.withResolvers<void>()
    const port = await serve(test, (request, response) => {
      request.on("error", () => {})
      response.on("close", () => setTimeout(() => void answer(request, response), 20))
      arrived.resolve()
    })
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
    await arrived.promise
    socket.destroy()
    expect(await ended.promise).toBe(true)
  })

  it("a Node listener answers 500 when other code has read the body, and reports the error to the embedder", async (test) => {
    const reported: Array<unknown> = []
    const answer = NodeListener.make(
      makeWebHandler(async (request) => new Response(await request.text())),
      (error) => reported.push(error)
    )
    const port = await serve(test, async (request, response) => {
      await request.toArray()
      await answer(request, response)
    })
    expect((await call(port, { body: "read" })).status).toBe(500)
    expect(String(reported)).toContain("mount the service before the middleware that reads bodies")
    expect(await call(port, {})).toMatchObject({ status: 200, text: "" })
    expect(reported).toHaveLength(1)
  })

  it("the body of a request with thousands of tiny chunks cannot be read", async (test) => {
    const port = await listen(test, (request) =>
      request.text().then(
        (body) => new Response(body.length.toString()),
        () => new Response("unreadable")
      )
    )
    const send = (chunk: string) =>
      new Promise<string>((resolve, reject) => {
        const sent = request({ port, host: "127.0.0.1", method: "POST" }, (response) => resolve(text(response)))
        for (let count = 0; count < 5000; count++) sent.write(chunk)
        sent.on("error", reject).end()
      })
    expect(await send("a")).toBe("unreadable")
    expect(await send("a".repeat(16))).toBe("80000")
  })

  it("a Node listener answers HEAD with the headers of GET and without a body", async (test) => {
    const port = await listen(test, () => Promise.resolve(new Response("body", { headers: { "content-length": "4" } })))
    const answer = await fetch(`http://127.0.0.1:${port}`, { method: "HEAD" })
    expect([answer.headers.get("content-length"), await answer.text()]).toEqual(["4", ""])
  })

  it("a Node listener sends a response without a body, and reads no response body for HEAD", async (test) => {
    let reads = 0
    const body = () =>
      new ReadableStream(
        { pull: (stream) => (++reads > 1 ? stream.close() : stream.enqueue(Buffer.from("x"))) },
        { highWaterMark: 0 }
      )
    const port = await listen(test, ({ method }) =>
      Promise.resolve(method === "HEAD" ? new Response(body()) : new Response(null, { status: 204 }))
    )
    const none = await fetch(`http://127.0.0.1:${port}`)
    expect([none.status, await none.text()]).toEqual([204, ""])
    const head = await fetch(`http://127.0.0.1:${port}`, { method: "HEAD" })
    expect([head.status, await head.text(), reads]).toEqual([200, "", 0])
  })

  it("a Node listener answers 500 when the service cannot start, and reports the reason only to the embedder", async (test) => {
    const reported: Array<unknown> = []
    const port = await listen(
      test,
      () => Promise.reject(new Error("no such database")),
      (error) => reported.push(error)
    )
    const answer = await fetch(`http://127.0.0.1:${port}`, { headers: { "x-request-id": "mine-1" } })
    const text = await answer.text()
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([500, "mine-1"])
    expect(JSON.parse(text)).toMatchObject({ success: false, error: { code: "internal_error" } })
    expect(text).not.toContain("database")
    expect(reported).toEqual([new Error("no such database")])
  })
})
