/**
 * Requests that a client sends without waiting for their answers are worked on one after another: the next one of a connection
 * begins when the previous answer was handed to the network. An answer that nobody reads therefore holds up its own connection
 * alone. Node reads further requests meanwhile; beyond a bound one is refused, and ends the connection.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { RateLimitExceeded } from "@partner-commentary/api/Errors"
import * as Unreadable from "./Unreadable.ts"

/** Requests of one connection that were not answered yet. Clients that send without waiting send fewer. */
export const mostUnderWay = 32

/** What comes after the refused one is read no further than this: nobody answers it. */
const mostUnanswered = 2000

/** To be called after whatever else stands before the listeners. */
export const bound = (native: Server, further: Unreadable.HeadersFor): void => {
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

  const emit = native.emit as (event: string, ...values: ReadonlyArray<unknown>) => boolean
  native.emit = (event: string, ...values: ReadonlyArray<unknown>) => {
    if (event !== "request" && event !== "checkContinue" && event !== "checkExpectation") {
      return emit.call(native, event, ...values)
    }
    const [request, response] = values as [IncomingMessage, ServerResponse]
    // Node gives the socket to the response that is due, and to the next one once that was written.
    if (response.socket !== null) return emit.call(native, event, ...values)
    hold(request, response, () => void emit.call(native, event, ...values))
    return true
  }
}

const refused = RateLimitExceeded.busy(
  `At most ${mostUnderWay} requests may be under way on one connection. Send it again when others were answered.`,
  mostUnderWay
)
