/**
 * Answers requests that Node's HTTP server cannot parse, and requests that Node would refuse without a response body.
 * The responses have the error envelope and a request id, like all other error responses. Well-formed requests go to
 * the router.
 */
import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import {
  httpStatusByErrorCode,
  InvalidRequest,
  NotFound,
  requestTimeoutResponse,
  type WireError
} from "@partner-commentary/api/Errors"
import * as Envelope from "@partner-commentary/server/http/Envelope"
import { acceptOrCreateRequestId, defaultCacheControl } from "@partner-commentary/server/middleware/Responses"
import type { RequestGateChain } from "./RequestGateChain.ts"

/**
 * The delay in milliseconds before the connection is closed. Until the connection closes, a client that is still
 * sending can read the response. If the server reset the connection immediately, the client would lose the response.
 */
const lingerTimeout = 1_000

/** Returns the rate-limit headers for a sender's address. */
export type GetRateLimitHeaders = (address: string) => Readonly<Record<string, string>>

/** Responds to malformed requests of a server. Create the server with `requireHostHeader: false`. */
export const handleMalformedRequests = (
  native: Server,
  gate: RequestGateChain,
  extraHeaders: GetRateLimitHeaders
): void => {
  const refused = new WeakSet<Duplex>()
  native.on("clientError", (error: ParserError, socket) => {
    // After a parser error, the start of the next request on the connection is unknown, so ignore all further errors.
    if (refused.has(socket)) return
    refused.add(socket)
    // A lost connection cannot carry a response, and says nothing about whether the request was malformed.
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy()
    refuse(gate, socket, statusFor(error), refusalOf(error), extraHeaders(addressOf(socket)))
  })
  native.on("connect", (request, socket) => {
    socket.on("error", () => {}).resume()
    refuse(
      gate,
      socket,
      httpStatusByErrorCode.not_found,
      noSuchMethod,
      extraHeaders(addressOf(socket)),
      sentId(request)
    )
  })
  native.on("checkExpectation", (request, response) => {
    sendErrorAndClose(
      request,
      response,
      invalid("must expect nothing but 100-continue"),
      extraHeaders(addressOf(request.socket))
    )
  })
  gate.add((exchange, pass) => {
    const { event, request, response } = exchange
    const isRefused = request.headers.host === undefined && request.httpVersion === "1.1"
    if (event === "checkExpectation" || !isRefused) pass(exchange)
    else
      sendErrorAndClose(request, response, invalid("must have a Host header"), extraHeaders(addressOf(request.socket)))
  })
}

/** Pass the error to the server's `clientError` listeners if a request's body has too many chunks. */
export const tooManyChunks: ParserError = Object.assign(new Error("The body has too many chunks."), {
  code: "TOO_MANY_CHUNKS"
})

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
    case tooManyChunks.code:
      return InvalidRequest.of([{ field: "body", constraint: "must arrive in fewer and larger chunks" }])
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return requestTimeoutResponse.error
    default:
      return malformed
  }
}

const malformed = invalid("must be well-formed HTTP/1.1")

/**
 * Returns the response's status: 408 if the request did not arrive in time, and otherwise the status of the error code.
 */
const statusFor = (error: ParserError) =>
  error.code === "ERR_HTTP_REQUEST_TIMEOUT"
    ? requestTimeoutResponse.status
    : httpStatusByErrorCode[refusalOf(error).error.code]

/** Returns whether the request line is valid apart from an unknown method. */
const isRequestLine = ({ bytesParsed = 0, rawPacket }: ParserError): boolean => {
  const text = rawPacket?.toString("latin1") ?? ""
  return /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?\n/.test(text.slice(text.lastIndexOf("\n", bytesParsed - 1) + 1))
}

const sentId = ({ headers }: IncomingMessage) => acceptOrCreateRequestId(headers["x-request-id"]?.toString())

const addressOf = (socket: Duplex): string => (socket instanceof Socket ? (socket.remoteAddress ?? "") : "")

const headersOf = (body: string, id: string, extraHeaders: ReturnType<GetRateLimitHeaders>) => ({
  "Content-Type": Envelope.jsonContentType,
  "Content-Length": Buffer.byteLength(body),
  "Cache-Control": defaultCacheControl,
  "X-Request-Id": id,
  ...extraHeaders,
  Connection: "close"
})

/** Sends the error response and closes the connection. */
export const sendErrorAndClose = (
  request: IncomingMessage,
  response: ServerResponse,
  refusal: WireError,
  extraHeaders: ReturnType<GetRateLimitHeaders>
) => {
  const body = Envelope.formatFailureJson(refusal)
  response
    .writeHead(httpStatusByErrorCode[refusal.error.code], headersOf(body, sentId(request), extraHeaders))
    .end(body)
}

/**
 * Sends the error after the responses to earlier requests. If a request's body cannot be parsed, the error replaces the
 * response to this request.
 */
const refuse = (
  gate: RequestGateChain,
  socket: Duplex,
  status: number,
  refusal: WireError,
  extraHeaders: ReturnType<GetRateLimitHeaders>,
  id = acceptOrCreateRequestId(undefined)
): void => {
  const due = gate.due(socket)
  if (due?.req.complete) due.once("close", () => refuse(gate, socket, status, refusal, extraHeaders, id))
  else if (!socket.writable || due?.headersSent) socket.destroy()
  else {
    const body = Envelope.formatFailureJson(refusal)
    const headers = { Date: new Date().toUTCString(), ...headersOf(body, id, extraHeaders) }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`)
    setTimeout(() => socket.destroy(), lingerTimeout).unref()
  }
}
