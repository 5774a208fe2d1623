/**
 * Requests that a client sends without waiting for their answers are worked on one after another: the next one of a connection
 * begins when the previous answer was handed to the network. An answer that nobody reads therefore holds up its own connection
 * alone. Node reads further requests meanwhile; beyond a bound one is refused, and ends the connection.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { RateLimitExceeded } from "@partner-commentary/api/Errors"
import type { RequestGate } from "./RequestGate.ts"
import * as Unreadable from "./Unreadable.ts"

/** Requests of one connection that were not answered yet. Clients that send without waiting send fewer. */
export const mostUnderWay = 32

/** What comes after the refused one is read no further than this: nobody answers it. */
const mostUnanswered = 2000

/** Call it after all others that add to the gate, so that they see a request only when its turn has come. */
export const bound = (gate: RequestGate, further: Unreadable.HeadersFor): void => {
  const connections = new WeakMap<Socket, { waiting: number; unanswered: number }>()

  const hold = (request: IncomingMessage, response: ServerResponse, begin: () => void): void => {
    const { socket } = request
    const connection = connections.get(socket) ?? { waiting: 0, unanswered: 0 }
    connections.set(socket, connection)
    if (connection.unanswered === 0 && connection.waiting < mostUnderWay - 1) {
      connection.waiting++
      response.once("socket", () => {
        connection.waiting--
        // Not within Node's own step, which goes on with this response.
        process.nextTick(() => response.destroyed || begin())
      })
    } else if (++connection.unanswered === 1) {
      Unreadable.reply(request, response, refused, {
        ...further(socket.remoteAddress ?? ""),
        "Retry-After": String(refused.error.details.retry_after)
      })
    } else if (connection.unanswered > mostUnanswered) socket.destroy()
  }

  // Node gives the connection to one response at a time, in the order of the requests.
  gate.add(({ request, response }, pass) => (response.socket === null ? hold(request, response, pass) : pass()))
}

const refused = RateLimitExceeded.busy(
  `At most ${mostUnderWay} requests may be under way on one connection. Send it again when others were answered.`,
  mostUnderWay
)
