/**
 * A real HTTP server with one path per webhook. The server records every request before it responds, responds with a
 * delay, and fails at random.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { Webhook } from "standardwebhooks"
import type { RandomSource } from "../Randomness.ts"

export interface ReceivedWebhookRequest {
  /** The last segment of the path, which identifies the webhook. */
  readonly hook: string
  /** The value of the `webhook-id` header. */
  readonly id: string
  readonly body: string
  /** The error of the signature check, or null if the signature is valid. */
  readonly forged: string | null
  readonly at: number
  /** The status of the response. The status is null if the receiver closed the connection or the worker was killed. */
  status: number | null
}

export interface WebhookReceivers {
  readonly root: string
  readonly arrived: Array<ReceivedWebhookRequest>
  /** Maps receiver paths to signing secrets. */
  readonly secrets: Map<string, string>
  /** The receiver calls `onMoment` when a request has arrived, and again when the response was sent. */
  onMoment: () => void
  readonly close: () => Promise<void>
}

const parts = { well: 95, failing: 3, cutting: 2 } as const

const verifierOf = (secret: string) =>
  secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" })

export const openReceivers = async (random: RandomSource): Promise<WebhookReceivers> => {
  const forgery = (hook: string, body: string, headers: IncomingMessage["headers"]): string | null => {
    try {
      verifierOf(receivers.secrets.get(hook) ?? "").verify(body, headers as Record<string, string>)
      return null
    } catch (cause) {
      return String(cause)
    }
  }
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request)
    const hook = request.url?.slice(1) ?? ""
    const id = String(request.headers["webhook-id"])
    const forged = forgery(hook, body, request.headers)
    const one: ReceivedWebhookRequest = { hook, id, body, forged, at: Date.now(), status: null }
    receivers.arrived.push(one)
    receivers.onMoment()
    const part = random.pick(parts)
    await sleep(random.between(0, 40))
    if (part === "cutting") request.socket.destroy()
    if (request.socket.destroyed) return
    one.status = part === "well" ? 204 : 503
    response.writeHead(one.status).end()
    receivers.onMoment()
  }
  const server = createServer((request, response) => void take(request, response).catch(() => {}))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const receivers: WebhookReceivers = {
    root: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived: [],
    secrets: new Map(),
    onMoment: () => {},
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
  return receivers
}
