/**
 * Starts a test server for the part of the chat-completions protocol that the service uses. The test decides when the
 * server responds, and whether it returns a draft or an error.
 */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

export interface ReceivedGenerationRequest {
  readonly perspective: string
  readonly at: number
}

export interface GeneratorServer {
  readonly url: string
  readonly orders: Array<ReceivedGenerationRequest>
  onOrder: (order: ReceivedGenerationRequest) => void
  /**
   * The server responds when the promise that `work` returns resolves. If `work` resolves with false, the server
   * responds with status 503.
   */
  work: (order: ReceivedGenerationRequest) => Promise<boolean>
  readonly close: () => Promise<void>
}

export const openGeneratorServer = async (): Promise<GeneratorServer> => {
  const server = createServer((request, response) => {
    const write = async () => {
      const order = { perspective: perspectiveOf((await json(request)) as Completion), at: Date.now() }
      writer.orders.push(order)
      const number = writer.orders.length
      writer.onOrder(order)
      if (await writer.work(order)) answer(response, 200, completion(`${order.perspective} Version ${number}.`))
      else answer(response, 503, { error: { message: "overloaded" } })
    }
    // Reading the request fails if the service is killed before the request is complete.
    write().catch(() => response.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const writer: GeneratorServer = {
    url: `http://127.0.0.1:${port}/v1`,
    orders: [],
    onOrder: () => {},
    work: async () => true,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, "close")
    }
  }
  return writer
}

interface Completion {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
}

/** Reads the perspective from the line of JSON in the user's message. */
const perspectiveOf = ({ messages }: Completion): string => {
  const material = messages
    .find(({ role }) => role === "user")
    ?.content.split("\n")
    .find((line) => line.startsWith("{"))
  return (JSON.parse(material ?? "{}") as { readonly perspective?: string }).perspective ?? ""
}

const answer = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { "content-type": "application/json" })
  response.end(JSON.stringify(body))
}

const completion = (content: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 0,
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", logprobs: null, message: { role: "assistant", content } }]
})
