import { createServer, type RequestListener, type ServerOptions } from "node:http"
import { type AddressInfo, connect } from "node:net"
import * as MalformedRequests from "@partner-commentary/node/server/MalformedRequests"
import * as RequestGateChain from "@partner-commentary/node/server/RequestGateChain"
import { describe, expect, it, onTestFinished } from "vitest"
import * as Partner from "../support/Partner.ts"
import * as Process from "../support/Process.ts"

/** Sends the bytes to the server, and returns everything that the server sends before the connection closes. */
const say = (port: number, bytes: string) =>
  new Promise<string>((resolve, reject) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    socket.setEncoding("latin1").on("data", (text) => {
      answer += text
    })
    socket.on("close", () => resolve(answer)).on("error", reject)
    socket.setTimeout(10_000, () => socket.destroy(new Error(`still open after: ${answer}`)))
  })

const serve = async (
  options: ServerOptions,
  respond: RequestListener,
  extraHeaders: MalformedRequests.GetRateLimitHeaders = () => ({})
) => {
  const native = createServer({ requireHostHeader: false, ...options }, respond)
  MalformedRequests.handleMalformedRequests(native, RequestGateChain.make(native), extraHeaders)
  onTestFinished(() => void native.close().closeAllConnections())
  await new Promise<void>((resolve) => native.listen(0, "127.0.0.1", resolve))
  return (native.address() as AddressInfo).port
}

const parse = (answer: string) => {
  const [head = "", body = ""] = answer.split("\r\n\r\n", 2)
  const [line = "", ...fields] = head.split("\r\n")
  const headers = new Headers(fields.map((field) => field.split(": ", 2) as [string, string]))
  return { status: Number(line.split(" ")[1]), headers, body, error: JSON.parse(body).error }
}

const expectRefusal = (answer: string, status: number, constraint?: string) => {
  const { body, error, headers, status: given } = parse(answer)
  expect(given).toBe(status)
  expect(headers.get("content-type")).toBe("application/json")
  expect(headers.get("content-length")).toBe(String(body.length))
  expect(headers.get("connection")).toBe("close")
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
  expect(Date.parse(headers.get("date") ?? "")).not.toBeNaN()
  expect(JSON.parse(body).success).toBe(false)
  if (constraint === undefined) expect(error).toMatchObject({ code: "not_found" })
  else {
    const problem = { field: "request", constraint }
    expect(error).toMatchObject({ code: "invalid_request", details: { ...problem, errors: [problem] } })
  }
}

const malformed = "must be well-formed HTTP/1.1"
const chunked = "Transfer-Encoding: chunked\r\n"

describe("a malformed request", () => {
  it("a malformed request is refused with the error envelope and a request id", async (test) => {
    const service = await Process.startService(await Process.makeWorkingFolder(test))
    const { apiRoot } = service
    const submission = `POST /partner/v1/topics HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${Partner.readDemoCredentials(service).key}\r\n`
    const port = Number(new URL(apiRoot).port)
    const cases: ReadonlyArray<readonly [bytes: string, status: number, constraint?: string]> = [
      ["FOO /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 404],
      ["CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n", 404],
      ["hello\r\n\r\n", 400, malformed],
      ["GET /healthz HTTP/9.9\r\nHost: a\r\n\r\n", 400, malformed],
      ["GET /healthz HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400, malformed],
      ["GET /healthz HTTP/1.1\r\n\r\n", 400, "must have a Host header"],
      ["GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: foo\r\n\r\n", 400, "must expect nothing but 100-continue"],
      ["POST /x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\nx", 400, "must have a Host header"],
      [`${submission}Content-Type: application/json\r\n${chunked}\r\nzz\r\n`, 400, malformed],
      [
        `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(1_000_000)}\r\n\r\n`,
        400,
        "must have at most 16 KiB of address and headers"
      ]
    ]
    const answers = await Promise.all(cases.map(([bytes]) => say(port, bytes)))
    for (const [index, [, status, constraint]] of cases.entries()) expectRefusal(answers[index]!, status, constraint)
    const ids = answers.map((answer) => parse(answer).headers.get("x-request-id"))
    expect(new Set(ids).size).toBe(cases.length)
    // Malformed requests count toward the rate limit of the address.
    const left = answers.map((answer) => Number(parse(answer).headers.get("x-ratelimit-remaining")))
    expect(left.toSorted((one, other) => other - one)).toEqual(cases.map((_, index) => 299 - index))

    const named = await say(port, "GET /healthz HTTP/1.1\r\nX-Request-Id: mine-1\r\n\r\n")
    expect(parse(named).headers.get("x-request-id")).toBe("mine-1")
    const upgrade = `${submission}${chunked}Connection: upgrade, close\r\nUpgrade: h2c\r\n\r\n1\r\nx\r\n0\r\n\r\n`
    expect(parse(await say(port, upgrade)).error.details.field).toBe("content-type")

    const submitInChunks = async (chunk: string) => {
      const part = `${chunk.length.toString(16)}\r\n${chunk}\r\n`
      const headers = `Content-Type: application/json\r\nConnection: close\r\n${chunked}`
      return parse(await say(port, `${submission}${headers}\r\n${part.repeat(5000)}0\r\n\r\n`))
    }
    const tiny = await submitInChunks(" ")
    expect([tiny.status, tiny.error.details]).toMatchObject([
      400,
      { field: "body", constraint: "must arrive in fewer and larger chunks" }
    ])
    expect((await submitInChunks(" ".repeat(50))).error.details.constraint).not.toContain("chunks")
    expect((await fetch(`${apiRoot}/healthz`)).status).toBe(200)
  })

  it("the refusal of a malformed request is sent after the responses to earlier requests", async () => {
    const port = await serve({}, (_, response) => setTimeout(() => response.end("fine"), 100))
    const good = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
    const answer = await say(port, `${good}${good}FOO /2 HTTP/1.1\r\nHost: a\r\n\r\n`)
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 404"])
    expectRefusal(answer.slice(answer.lastIndexOf("HTTP/1.1 404")), 404)
  })

  it("if the response to a malformed request has already begun, the server closes the connection", async () => {
    const port = await serve({}, (_, response) => response.writeHead(200).write("begun"))
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${chunked}\r\n`))
      let text = ""
      socket.setEncoding("latin1").on("data", (more) => {
        text += more
        if (text.includes("begun")) socket.write("zz\r\n")
      })
      socket.on("close", () => resolve(text))
    })
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"])
  })

  it("a request that arrives too slowly gets status 408 with the error envelope", async () => {
    const port = await serve({ headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 }, () => {})
    expectRefusal(await say(port, "GET / HTTP/1.1\r\nHos"), 408, "must arrive completely within the time limit")
  })

  it("a connection that its client resets during a request does not count as a malformed request", async () => {
    let counted = 0
    const begun = Promise.withResolvers<void>()
    const lost = Promise.withResolvers<void>()
    const respond: RequestListener = (request) => {
      request.on("error", () => lost.resolve())
      begun.resolve()
    }
    const port = await serve({}, respond, () => {
      counted += 1
      return {}
    })
    const socket = connect(port, "127.0.0.1", () =>
      socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf")
    )
    await begun.promise
    socket.resetAndDestroy()
    await lost.promise
    expect(counted).toBe(0)
    await say(port, "hello\r\n\r\n")
    expect(counted).toBe(1)
  })

  it("a malformed request gets no response if its sender has disconnected", async () => {
    const port = await serve({}, (_, response) => response.end("fine"))
    const socket = connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\n", () => socket.resetAndDestroy()))
    await new Promise((resolve) => socket.on("close", resolve))
    expect(await say(port, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).toContain("fine")
  })
})
