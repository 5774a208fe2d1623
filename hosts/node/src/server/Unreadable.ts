/**
 * What Node's HTTP server would refuse by itself, bare, is refused as everything else is: in the error envelope, with a
 * request id. Requests that can be read are left to the router.
 */
import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { InvalidRequest, NotFound, requestTimeout, statusOf, type WireError } from "@partner-commentary/api/Errors"
import * as Envelope from "@partner-commentary/server/http/Envelope"
import { cacheControl, requestId } from "@partner-commentary/server/middleware/Responses"
import type { RequestGate } from "./RequestGate.ts"

/** So many milliseconds may a client that still sends take to read its answer: a reset would destroy it. */
const linger = 1_000

/** Further headers for who sends from this address. */
export type HeadersFor = (address: string) => Readonly<Record<string, string>>

/** For a server created with `requireHostHeader: false`. */
export const answer = (native: Server, gate: RequestGate, further: HeadersFor): void => {
  const refused = new WeakSet<Duplex>()
  native.on("clientError", (error: ParserError, socket) => {
    // Whatever follows on this connection is unreadable too.
    if (refused.has(socket)) return
    refused.add(socket)
    refuse(gate, socket, statusFor(error), refusalOf(error), further(addressOf(socket)))
  })
  native.on("connect", (request, socket) => {
    socket.on("error", () => {}).resume()
    refuse(gate, socket, statusOf.not_found, noSuchMethod, further(addressOf(socket)), sentId(request))
  })
  native.on("checkExpectation", (request, response) => {
    reply(request, response, invalid("must expect nothing but 100-continue"), further(addressOf(request.socket)))
  })
  gate.add(({ event, request, response }, pass) => {
    const isRefused = request.headers.host === undefined && request.httpVersion === "1.1"
    if (event === "checkExpectation" || !isRefused) pass()
    else reply(request, response, invalid("must have a Host header"), further(addressOf(request.socket)))
  })
}

interface ParserError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer
  readonly bytesParsed?: number
}

const invalid = (constraint: string) => InvalidRequest.of([{ field: "request", constraint }])

const noSuchMethod = NotFound.of("There is no such path, or not with this method.")

const refusalOf = (error: ParserError): WireError => {
  switch (error.code) {
    case "HPE_INVALID_METHOD":
      return isRequestLine(error) ? noSuchMethod : malformed
    case "HPE_HEADER_OVERFLOW":
      return invalid(`must have at most ${maxHeaderSize / 1024} KiB of address and headers`)
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return invalid("must have at most 16 KiB of chunk extensions")
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return requestTimeout.error
    default:
      return malformed
  }
}

const malformed = invalid("must be well-formed HTTP/1.1")

/** Proxies and clients tell by 408 that a connection ran out, and that no request of theirs was refused. */
const statusFor = (error: ParserError) =>
  error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? requestTimeout.status : statusOf[refusalOf(error).error.code]

/** Whether the method alone is what the parser does not know. */
const isRequestLine = ({ bytesParsed = 0, rawPacket }: ParserError): boolean => {
  const text = rawPacket?.toString("latin1") ?? ""
  return /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?\n/.test(text.slice(text.lastIndexOf("\n", bytesParsed - 1) + 1))
}

const sentId = ({ headers }: IncomingMessage) => requestId(headers["x-request-id"]?.toString())

const addressOf = (socket: Duplex): string => (socket instanceof Socket ? (socket.remoteAddress ?? "") : "")

const headersOf = (body: string, id: string, further: ReturnType<HeadersFor>) => ({
  "Content-Type": Envelope.contentType,
  "Content-Length": Buffer.byteLength(body),
  "Cache-Control": cacheControl,
  "X-Request-Id": id,
  ...further,
  Connection: "close"
})

/** Ends the connection, too. */
export const reply = (
  request: IncomingMessage,
  response: ServerResponse,
  refusal: WireError,
  further: ReturnType<HeadersFor>
) => {
  const body = Envelope.failureText(refusal)
  response.writeHead(statusOf[refusal.error.code], headersOf(body, sentId(request), further)).end(body)
}

/** After the responses to earlier requests; instead of the response to a request whose own body cannot be read. */
const refuse = (
  gate: RequestGate,
  socket: Duplex,
  status: number,
  refusal: WireError,
  further: ReturnType<HeadersFor>,
  id = requestId(undefined)
): void => {
  const due = gate.due(socket)
  if (due?.req.complete) due.once("close", () => refuse(gate, socket, status, refusal, further, id))
  else if (!socket.writable || due?.headersSent) socket.destroy()
  else {
    const body = Envelope.failureText(refusal)
    const headers = { Date: new Date().toUTCString(), ...headersOf(body, id, further) }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`)
    setTimeout(() => socket.destroy(), linger).unref()
  }
}
