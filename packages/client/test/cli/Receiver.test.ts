/** Tests the requests of `listen` and its limits on a receiver's response, with HTTP servers on this machine. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { verifyWebhook } from "@partner-commentary/client"
import { expect, it, onTestFinished, vi } from "vitest"
import { forwardEvent } from "../../src/cli/Receiver.ts"
import { generateSecret, makeSigner } from "../../src/cli/Secret.ts"
import type { PastEvent } from "../../src/WebhookEvent.ts"

const event = { id: "evt_1", type: "creator.approved", data: { content: "Überall – ✓" } } as unknown as PastEvent

const receiver = async (handle: RequestListener): Promise<string> => {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

const terminal = (signal = new AbortController().signal) => ({
  environment: {},
  fetch,
  out: () => undefined,
  say: () => undefined,
  signal
})

const sent = async (to: string, secret = generateSecret(), timeoutMs?: number) =>
  forwardEvent(event, to, await makeSigner(secret), terminal(), timeoutMs)

it("`listen` sends an event as JSON, with the headers of a webhook delivery and a valid signature", async () => {
  for (const secret of [generateSecret(), "a raw secret of 32 or more characters"]) {
    let verified: Promise<unknown> | undefined
    const to = await receiver((request, response) => {
      const chunks: Array<Uint8Array> = []
      request.on("data", (chunk) => chunks.push(chunk))
      request.on("end", () => {
        verified = verifyWebhook(Buffer.concat(chunks), request.headers, secret)
        response.end(`${request.headers["content-type"]} ${request.headers["user-agent"]}`)
      })
    })
    expect(await sent(to, secret)).toMatchObject({
      status: 200,
      error: null,
      response_excerpt: "application/json Partner-Commentary"
    })
    expect(await verified).toEqual(event)
  }
})

it("`listen` reports a status other than 2xx as an error, and does not follow a redirect", async () => {
  const hits: Array<string> = []
  const to = await receiver(({ url = "" }, response) => {
    hits.push(url)
    response.writeHead(302, { location: "/elsewhere" }).end()
  })
  expect(await sent(to)).toMatchObject({
    status: 302,
    error: "The receiver answered with status 302, which is not a success."
  })
  expect(hits).toEqual(["/hook"])
})

it("the error for a receiver that does not exist contains the connection's error code", async () => {
  const gone = createServer()
  await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve))
  const { port } = gone.address() as AddressInfo
  await new Promise((resolve) => gone.close(resolve))
  expect(await sent(`http://127.0.0.1:${port}/hook`)).toMatchObject({
    status: null,
    error: "No response: ECONNREFUSED."
  })
})

it("`listen` reads at most 64 KiB of an endless response and keeps the first KiB", async () => {
  let written = 0
  let open = true
  const to = await receiver((_, response) => {
    const more = () => {
      while (open && response.write("é".repeat(8 * 1024))) written += 16 * 1024
    }
    response.on("drain", more).on("close", () => {
      open = false
    })
    more()
  })
  const { response_excerpt, status } = await sent(to)
  expect([status, response_excerpt]).toEqual([200, "é".repeat(512)])
  const atEnd = written
  await vi.waitFor(() => expect(open).toBe(false), 20_000)
  expect(written - atEnd).toBeLessThan(1024 * 1024)
})

it("`listen` aborts a response that does not end within the time limit", async () => {
  const to = await receiver((_, response) => {
    const timer = setInterval(() => response.write("."), 100)
    response.on("close", () => clearInterval(timer))
  })
  const { error, latency_ms, status } = await sent(to, generateSecret(), 500)
  expect([status, error]).toEqual([null, "No complete response within 0.5 seconds."])
  expect(latency_ms).toBeGreaterThanOrEqual(490)
})

it("a stop of `listen` aborts a request in progress", async () => {
  const stop = new AbortController()
  const to = await receiver(() => stop.abort(new Error("stopped")))
  await expect(forwardEvent(event, to, await makeSigner(generateSecret()), terminal(stop.signal))).rejects.toThrow(
    "stopped"
  )
})
