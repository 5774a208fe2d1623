/** Builds JSON responses in the success and error envelopes of the specification. */
import { httpStatusByErrorCode, type WireError } from "@partner-commentary/api/Errors"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as ResponseHeaders from "./ResponseHeaders.ts"

export const jsonContentType = "application/json"

export const formatSuccessJson = (data: unknown): string => JSON.stringify({ success: true, data })

export const formatFailureJson = ({ error, success }: WireError): string => JSON.stringify({ success, error })

/** Returns `{success: true, data}` as JSON. */
export const makeSuccessResponse = (
  data: unknown,
  status = 200,
  headers?: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => makeJsonResponse(formatSuccessJson(data), status, headers)

export const makeJsonResponse = (
  text: string,
  status = 200,
  headers?: Readonly<Record<string, string>>
): HttpServerResponse.HttpServerResponse => {
  const response = HttpServerResponse.text(text, { status, contentType: jsonContentType })
  // `text` has created the headers for this response only.
  if (headers !== undefined) ResponseHeaders.addMissing(response.headers as Record<string, string>, headers)
  return response
}

/** Returns the error as JSON with its status code. A rate-limit error also sets the `Retry-After` header. */
export const makeFailureResponse = (refusal: WireError): HttpServerResponse.HttpServerResponse => {
  const { error } = refusal
  const response = makeJsonResponse(formatFailureJson(refusal), httpStatusByErrorCode[error.code])
  return error.code === "rate_limit_exceeded"
    ? HttpServerResponse.setHeader(response, "retry-after", String(error.details.retry_after))
    : response
}
