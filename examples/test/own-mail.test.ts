/**
 * Tests that the guide's mail function sends the mail, and distinguishes permanent refusals from temporary refusals.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { makeHttpMailSender } from "../own-mail.ts"

const message = {
  id: "m-1",
  to: { name: "Ada", address: "ada@creators.example" },
  subject: "Courtside asks",
  text: "Hello",
  html: "<p>Hello"
}

it("all attempts have the same idempotency key; a 503 is a temporary failure, and a 422 is a permanent failure", async (test) => {
  const statuses = [202, 503, 422]
  const taken: Array<unknown> = []
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const chunk of request) text += chunk
    taken.push([request.headers["idempotency-key"], JSON.parse(text).to])
    response.writeHead(statuses.shift() ?? 500).end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  test.onTestFinished(() => void server.close().closeAllConnections())
  const send = makeHttpMailSender(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "token")
  const context = { signal: AbortSignal.timeout(10_000) }
  await send(message as never, context)
  await expect(send(message as never, context)).rejects.toMatchObject({ permanent: false })
  await expect(send(message as never, context)).rejects.toMatchObject({ permanent: true })
  expect(taken).toEqual(Array(3).fill(["m-1", "ada@creators.example"]))
})
