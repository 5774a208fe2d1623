/**
 * Lets gates inspect, delay or answer each request before the server's `request` listeners run. Node calls every
 * `request` listener with every request, so a listener cannot delay a request for Effect's own listener. Only this
 * module replaces the `emit` function of Node's HTTP server.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

export interface RequestExchange {
  readonly event: "request" | "checkContinue" | "checkExpectation"
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

type Pass = (exchange: RequestExchange) => void

/**
 * A request gate either responds to the request, or calls `pass`, immediately or later, so that the next gate handles
 * the request.
 */
export type RequestGate = (exchange: RequestExchange, pass: Pass) => void

export interface RequestGateChain {
  /** Adds a request gate. The request gate that was added last sees a request first. */
  readonly add: (gate: RequestGate) => void
  /** Returns the response that the server sends next on the connection. */
  readonly due: (socket: Duplex) => ServerResponse | undefined
  /** Returns whether no later request has arrived on the response's connection. */
  readonly isLast: (response: ServerResponse) => boolean
}

const isExchange = (event: string): event is RequestExchange["event"] =>
  event === "request" || event === "checkContinue" || event === "checkExpectation"

export const make = (native: Server): RequestGateChain => {
  /** Maps each connection to its responses that have not ended. */
  const open = new WeakMap<Duplex, Array<ServerResponse>>()

  /**
   * Removes an ended response from `open`. All responses share one `forget` function, because a function per response
   * would cost memory.
   */
  function forget(this: ServerResponse) {
    const responses = open.get(this.req.socket) ?? []
    const place = responses.indexOf(this)
    if (place >= 0) responses.splice(place, 1)
  }

  const track = (socket: Duplex, response: ServerResponse) => {
    const responses = open.get(socket)
    if (responses === undefined) open.set(socket, [response])
    else responses.push(response)
    response.on("close", forget)
  }

  const emit = native.emit as (event: string, ...values: ReadonlyArray<unknown>) => boolean
  let first: Pass = ({ event, request, response }) => void emit.call(native, event, request, response)
  native.emit = (event: string, ...values: ReadonlyArray<unknown>) => {
    if (!isExchange(event)) return emit.call(native, event, ...values)
    const [request, response] = values as [IncomingMessage, ServerResponse]
    track(request.socket, response)
    first({ event, request, response })
    return true
  }

  return {
    add: (gate) => {
      const next = first
      first = (exchange) => gate(exchange, next)
    },
    // Node assigns the socket to only one response at a time.
    due: (socket) => open.get(socket)?.find((response) => response.socket === socket),
    isLast: (response) => open.get(response.req.socket)?.at(-1) === response
  }
}
