/**
 * Where events arrive: one real server with a path for each webhook. It writes down every request before it answers, takes
 * its time, and fails now and then as receivers do.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { Webhook } from "standardwebhooks"
import type { Randomness } from "../Randomness.ts"

export interface Arrived {
  /** The last part of the path. */
  readonly hook: string
  /** `webhook-id`. */
  readonly id: string
  readonly body: string
  /** Why it is no request that a receiver would take for ours; null when it is. */
  readonly forged: string | null
  readonly at: number
  /** The status that went out; null when the connection was cut instead, by us or with a killed worker. */
  status: number | null
}

export interface Receivers {
  readonly root: string
  readonly arrived: Array<Arrived>
  /** The secret that each path verifies with. */
  readonly secrets: Map<string, string>
  /** Told of each request when it has come, and when it was answered. */
  onMoment: () => void
  readonly close: () => Promise<void>
}

const parts = { well: 95, failing: 3, cutting: 2 } as const

const verifierOf = (secret: string) =>
  secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(secret, { format: "raw" })

export const open = async (random: Randomness): Promise<Receivers> => {
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
    const one: Arrived = { hook, id, body, forged, at: Date.now(), status: null }
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
  const receivers: Receivers = {
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
