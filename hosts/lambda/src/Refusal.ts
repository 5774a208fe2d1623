/** Answers to requests that do not reach the service: in the same envelope and with the same headers as every other. */
import { InternalError, InvalidRequest, statusOf, type WireError } from "@partner-commentary/api/Errors"
import * as Envelope from "@partner-commentary/server/http/Envelope"
import { cacheControl, requestId } from "@partner-commentary/server/middleware/Responses"
import type { Call } from "./Call.ts"

/** A method, an address or a header that cannot be HTTP. */
export const malformed = (call: Call): Response =>
  refuse(InvalidRequest.of([{ field: "request", constraint: "must be well-formed HTTP/1.1" }]), sentId(call))

/** The service could not begin; the next request tries again. Why is for the log. */
export const unavailable = (call: Call, error: unknown): Response => {
  const id = sentId(call)
  process.stderr.write(
    `${JSON.stringify({
      message: "A request was not answered: the service could not begin; the next one tries again",
      level: "ERROR",
      timestamp: new Date().toISOString(),
      annotations: { request_id: id },
      cause: error instanceof Error ? (error.stack ?? error.message) : String(error)
    })}\n`
  )
  return refuse(InternalError.of(id), id)
}

const sentId = ({ headers }: Call) => requestId(headers["x-request-id"])

const refuse = (refusal: WireError, id: string): Response =>
  new Response(Envelope.failureText(refusal), {
    status: statusOf[refusal.error.code],
    headers: { "content-type": Envelope.contentType, "x-request-id": id, "cache-control": cacheControl }
  })
