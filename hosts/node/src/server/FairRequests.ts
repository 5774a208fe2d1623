/**
 * Starts waiting requests of different organizations in turn, so that no organization delays the others for long. All
 * requests without a verified credential that come from one client address share a turn. A request is dropped if its
 * client disconnects before the request gets a turn.
 */
import type { IncomingMessage, Server } from "node:http"
import type { IpAllowList } from "@partner-commentary/core/access/IpAllowList"
import { parseClientNetwork } from "@partner-commentary/core/access/RateLimits"
import { resolveClientAddress } from "@partner-commentary/server/ClientAddress"
import type { FairScheduler } from "@partner-commentary/server/middleware/FairScheduler"
import { readCredential } from "@partner-commentary/server/middleware/VerifiedCredentials"
import type { RequestGateChain } from "./RequestGateChain.ts"

const forwardedFor = ({ headers }: IncomingMessage): string | undefined =>
  headers["x-forwarded-for"] === undefined ? undefined : String(headers["x-forwarded-for"])

/**
 * Call `installFairRequests` before `limitPipelining`, so that a request gets a turn only when its response is next on
 * the connection.
 */
export const installFairRequests = (
  native: Server,
  gate: RequestGateChain,
  { connected, ownerOf, start }: FairScheduler,
  proxies: IpAllowList
): void => {
  /**
   * Returns the key of the queue in which a new request waits. An organization's new requests (`start …`) and running
   * requests have separate queues. In a single queue, an organization's new requests would start before its running
   * requests end, and would exceed its limits.
   */
  const turnOf = (request: IncomingMessage): string =>
    `start ${ownerOf(readCredential(request.headers)) ?? addressOf(request)}`

  const addressOf = (request: IncomingMessage): string =>
    parseClientNetwork(resolveClientAddress(request.socket.remoteAddress ?? "", forwardedFor(request), proxies))

  native.on("connection", connected)
  gate.add((exchange, pass) => {
    const { request, response } = exchange
    const turn = () => turnOf(request)
    start(turn, () => {
      if (!response.destroyed && !request.destroyed) pass(exchange)
    })
  })
}
