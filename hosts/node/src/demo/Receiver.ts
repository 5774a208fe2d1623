/** A partner's webhook endpoint on this machine. The receiver records the events whose signature is valid. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { verifyWebhook, type WebhookEvent } from "@partner-commentary/client"

export interface WebhookReceiver {
  readonly url: string
  /**
   * Sets the signing secret after the webhook is registered. Until the secret is set, the receiver answers each
   * delivery with 503, so that the service retries the delivery later.
   */
  readonly expect: (secret: string) => void
  /** The received events with a valid signature, in the order of arrival. */
  readonly received: ReadonlyArray<WebhookEvent>
  /** The reasons why the endpoint refused requests. */
  readonly refused: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

export const startWebhookReceiver = async (onReceived: (event: WebhookEvent) => void): Promise<WebhookReceiver> => {
  const received: Array<WebhookEvent> = []
  const refused: Array<string> = []
  let secret: string | undefined

  const answer = async (request: IncomingMessage): Promise<number> => {
    const body = await textOf(request)
    if (secret === undefined) return 503
    try {
      const event = await verifyWebhook(body, request.headers, secret)
      received.push(event)
      onReceived(event)
      return 204
    } catch (error) {
      refused.push((error as Error).message)
      return 401
    }
  }

  const server = createServer((request, response) => {
    answer(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy()
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/commentary-events`,
    expect: (made) => {
      secret = made
    },
    received,
    refused,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}
