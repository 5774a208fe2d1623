/**
 * Starts requests in turns: those of one organization share a turn, and so do those of one client address without an accepted
 * credential. A request whose client has gone by its turn is dropped without work.
 */
import type { IncomingMessage, Server } from "node:http"
import type { IpAllowList } from "@partner-commentary/core/access/IpAllowList"
import { networkOf } from "@partner-commentary/core/access/RateLimits"
import { clientAddress } from "@partner-commentary/server/ClientAddress"
import { credentialOf } from "@partner-commentary/server/middleware/AcceptedCredentials"
import type { FairScheduler } from "@partner-commentary/server/middleware/FairScheduler"
import type { RequestGate } from "./RequestGate.ts"

const forwardedFor = ({ headers }: IncomingMessage): string | undefined =>
  headers["x-forwarded-for"] === undefined ? undefined : String(headers["x-forwarded-for"])

/** Call it before the gate for pipelined requests: a request starts when its response is due. */
export const install = (
  native: Server,
  gate: RequestGate,
  { connected, ownerOf, run }: FairScheduler,
  proxies: IpAllowList
): void => {
  /** Not the queue of the organization's work: requests would start before earlier ones end, and overflow its limits. */
  const turnOf = (request: IncomingMessage): string =>
    `start ${ownerOf(credentialOf(request.headers)) ?? addressOf(request)}`

  const addressOf = (request: IncomingMessage): string =>
    networkOf(clientAddress(request.socket.remoteAddress ?? "", forwardedFor(request), proxies))

  native.on("connection", connected)
  gate.add(({ request, response }, pass) =>
    run(turnOf(request), () => {
      if (!response.destroyed && !request.destroyed) pass()
    })
  )
}
