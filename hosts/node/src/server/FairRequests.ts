/**
 * Starts requests in turns. Requests of one organization share a turn. Requests without a verified credential share a
 * turn by client address. If the client disconnects before the turn, the request is dropped.
 */
import type { IncomingMessage, Server } from "node:http"
import type { IpAllowList } from "@partner-commentary/core/access/IpAllowList"
import { networkOf } from "@partner-commentary/core/access/RateLimits"
import { clientAddress } from "@partner-commentary/server/ClientAddress"
import type { FairScheduler } from "@partner-commentary/server/middleware/FairScheduler"
import { credentialOf } from "@partner-commentary/server/middleware/VerifiedCredentials"
import type { RequestGate } from "./RequestGate.ts"

const forwardedFor = ({ headers }: IncomingMessage): string | undefined =>
  headers["x-forwarded-for"] === undefined ? undefined : String(headers["x-forwarded-for"])

/** Call `installFairRequests` before the gate for pipelined requests, so that a request starts only when its response is due. */
export const installFairRequests = (
  native: Server,
  gate: RequestGate,
  { connected, ownerOf, start }: FairScheduler,
  proxies: IpAllowList
): void => {
  /**
   * Names the queue in which a request waits for its start. In the queue of the organization's work, requests would
   * start before earlier requests end, and would exceed the organization's limits.
   */
  const turnOf = (request: IncomingMessage): string =>
    `start ${ownerOf(credentialOf(request.headers)) ?? addressOf(request)}`

  const addressOf = (request: IncomingMessage): string =>
    networkOf(clientAddress(request.socket.remoteAddress ?? "", forwardedFor(request), proxies))

  native.on("connection", connected)
  gate.add((exchange, pass) => {
    const { request, response } = exchange
    start(turnOf(request), () => {
      if (!response.destroyed && !request.destroyed) pass(exchange)
    })
  })
}
