/** Answers in the specification's envelopes. */
import { statusOf, type WireError } from "@partner-commentary/api/Errors"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

/** `{success: true, data}` as JSON. */
export const success = (data: unknown, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify({ success: true, data }), { status, contentType: "application/json" })

/** The error as JSON, with its own status, and `Retry-After` where waiting helps. */
export const failure = ({ error, success }: WireError): HttpServerResponse.HttpServerResponse => {
  const response = HttpServerResponse.text(JSON.stringify({ success, error }), {
    status: statusOf[error.code],
    contentType: "application/json"
  })
  return error.code === "rate_limit_exceeded"
    ? HttpServerResponse.setHeader(response, "retry-after", String(error.details.retry_after))
    : response
}
