/**
 * Inspects requests before the server's listeners see them. Node calls every `request` listener with every request, so
 * a listener cannot delay a request for Effect's own listener. Only this module replaces `emit`.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

export interface RequestExchange {
  readonly event: "request" | "checkContinue" | "checkExpectation"
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A gate responds to the request, or calls `pass`, now or later. */
export type Gate = (exchange: RequestExchange, pass: () => void) => void

export interface RequestGate {
  /** The gate that was added last sees a request first. */
  readonly add: (gate: Gate) => void
  /** Returns the response that is sent next on the connection. */
  readonly due: (socket: Duplex) => ServerResponse | undefined
}

const isExchange = (event: string): event is RequestExchange["event"] =>
  event === "request" || event === "checkContinue" || event === "checkExpectation"

export const make = (native: Server): RequestGate => {
  const gates: Array<Gate> = []
  const open = new WeakMap<Duplex, Set<ServerResponse>>()

  const track = (socket: Duplex, response: ServerResponse) => {
    const responses = open.get(socket) ?? new Set()
    open.set(socket, responses.add(response))
    response.once("close", () => responses.delete(response))
  }

  const emit = native.emit as (event: string, ...values: ReadonlyArray<unknown>) => boolean
  native.emit = (event: string, ...values: ReadonlyArray<unknown>) => {
    if (!isExchange(event)) return emit.call(native, event, ...values)
    const [request, response] = values as [IncomingMessage, ServerResponse]
    track(request.socket, response)
    const exchange = { event, request, response }
    const pass = gates.reduce<() => void>(
      (next, gate) => () => gate(exchange, next),
      () => void emit.call(native, event, ...values)
    )
    pass()
    return true
  }

  return {
    add: (gate) => void gates.push(gate),
    // Node assigns the socket to only one response at a time.
    due: (socket) => [...(open.get(socket) ?? [])].find((response) => response.socket === socket)
  }
}
