/**
 * How many requests one connection may have under way. Node reads whatever a client sends without waiting for its answers, so
 * that a few kilobytes would set off thousands of requests; one more than the bound is refused, and ends the connection.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { RateLimitExceeded } from "@partner-commentary/api/Errors"
import * as Unreadable from "./Unreadable.ts"

/** Clients that send without waiting send fewer. */
export const mostUnderWay = 32

/** What comes after the refused one is read no further than this: nobody answers it. */
const mostUnanswered = 2000

/** To be called after whatever else stands before the listeners. */
export const bound = (native: Server, further: Unreadable.HeadersFor): void => {
  const connections = new WeakMap<Socket, { waiting: number; unanswered: number }>()

  const admitted = (request: IncomingMessage, response: ServerResponse): boolean => {
    // Node gives the socket to the response that is due: who waits for each answer is never counted, and costs nothing.
    if (response.socket !== null) return true
    const { socket } = request
    const connection = connections.get(socket) ?? { waiting: 0, unanswered: 0 }
    connections.set(socket, connection)
    if (connection.unanswered === 0 && connection.waiting < mostUnderWay - 1) {
      connection.waiting++
      response.once("close", () => connection.waiting--)
      return true
    }
    if (++connection.unanswered === 1) {
      Unreadable.reply(request, response, refused, {
        ...further(socket.remoteAddress ?? ""),
        "Retry-After": String(refused.error.details.retry_after)
      })
    } else if (connection.unanswered > mostUnanswered) socket.destroy()
    return false
  }

  const emit = native.emit as (event: string, ...values: ReadonlyArray<unknown>) => boolean
  native.emit = (event: string, ...values: ReadonlyArray<unknown>) => {
    if (event !== "request" && event !== "checkContinue" && event !== "checkExpectation") {
      return emit.call(native, event, ...values)
    }
    const [request, response] = values as [IncomingMessage, ServerResponse]
    return admitted(request, response) ? emit.call(native, event, ...values) : true
  }
}

const refused = RateLimitExceeded.busy(
  `At most ${mostUnderWay} requests may be under way on one connection. Send it again when others were answered.`,
  mostUnderWay
)
