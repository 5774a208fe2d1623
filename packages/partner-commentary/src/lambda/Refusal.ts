/**
 * Creates error responses for requests that cannot be passed to the service. Body and headers are the same as in the
 * service's own error responses.
 */
import { httpStatusByErrorCode, InternalError, InvalidRequest, type WireError } from "@partner-commentary/api/Errors"
import type { HostResponse } from "@partner-commentary/server/embedding/WebHandler"
import * as Envelope from "@partner-commentary/server/http/Envelope"
import { acceptOrCreateRequestId, defaultCacheControl } from "@partner-commentary/server/middleware/Responses"
import type { GatewayRequest } from "./GatewayRequest.ts"

/** Creates the response to a request with an invalid method, URL or header. */
export const makeMalformedRequestResponse = (call: GatewayRequest): HostResponse =>
  refuse(
    InvalidRequest.of([{ field: "request", constraint: "must be well-formed HTTP/1.1" }]),
    findOrGenerateRequestId(call)
  )

/** Creates the response of a service that failed to start. */
export const makeFailedStartResponse = (id: string): HostResponse => refuse(InternalError.of(id), id)

/** Returns the request id that the client sent, or a new id. */
export const findOrGenerateRequestId = ({ headers }: GatewayRequest) => acceptOrCreateRequestId(headers["x-request-id"])

const refuse = (refusal: WireError, id: string): HostResponse => ({
  status: httpStatusByErrorCode[refusal.error.code],
  headers: { "content-type": Envelope.jsonContentType, "x-request-id": id, "cache-control": defaultCacheControl },
  body: Envelope.formatFailureJson(refusal)
})
