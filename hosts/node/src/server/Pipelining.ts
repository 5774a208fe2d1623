/**
 * Handles pipelined requests of a connection one after another. The next request starts when the previous response has
 * been handed to the network. A client that does not read its responses delays only its own connection. Node continues
 * to read requests, so the number of waiting requests is limited. The server refuses the first request above the limit
 * of waiting requests, and closes the connection.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { RateLimitExceeded } from "@partner-commentary/api/Errors"
import * as MalformedRequests from "./MalformedRequests.ts"
import type { RequestGateChain } from "./RequestGateChain.ts"

/** The maximum number of unanswered requests of one connection, which is more than clients with pipelining send. */
export const maxPipelinedRequests = 32

/**
 * After the server has refused a request, it reads at most this many further requests, without a response, before it
 * closes the connection.
 */
const maxUnanswered = 2000

/**
 * Add the pipelining gate after all other request gates, so that the other gates see a request only when the request
 * may start.
 */
export const limitPipelining = (gate: RequestGateChain, extraHeaders: MalformedRequests.GetRateLimitHeaders): void => {
  const connections = new WeakMap<Socket, { waiting: number; unanswered: number }>()

  const hold = (request: IncomingMessage, response: ServerResponse, begin: () => void): void => {
    const { socket } = request
    const connection = connections.get(socket) ?? { waiting: 0, unanswered: 0 }
    connections.set(socket, connection)
    if (connection.unanswered === 0 && connection.waiting < maxPipelinedRequests - 1) {
      connection.waiting++
      response.once("socket", () => {
        connection.waiting--
        // Begin the waiting request in the next tick, because Node still uses its response object in the current tick.
        process.nextTick(() => response.destroyed || begin())
      })
    } else if (++connection.unanswered === 1) {
      MalformedRequests.sendErrorAndClose(request, response, refused, {
        ...extraHeaders(socket.remoteAddress ?? ""),
        "Retry-After": String(refused.error.details.retry_after)
      })
    } else if (connection.unanswered > maxUnanswered) socket.destroy()
  }

  // Node assigns the socket to one response at a time, in the order of the requests. Hold a request whose response has
  // no socket yet.
  gate.add((exchange, pass) => {
    const { request, response } = exchange
    if (response.socket === null) hold(request, response, () => pass(exchange))
    else pass(exchange)
  })
}

const refused = RateLimitExceeded.busy(
  `At most ${maxPipelinedRequests} requests may be under way on one connection. Send it again when others were answered.`,
  maxPipelinedRequests
)
