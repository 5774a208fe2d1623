/**
 * Creates error responses for requests that cannot be passed to the service. Body and headers are the same as in the
 * service's own error responses.
 */
import { InternalError, InvalidRequest } from "@partner-commentary/api/Errors"
import type { HostResponse } from "@partner-commentary/server/embedding/WebHandler"
import { acceptOrCreateRequestId, makeErrorResponse } from "@partner-commentary/server/middleware/Responses"
import type { GatewayRequest } from "./GatewayRequest.ts"

/** Creates the response to a request with an invalid method, URL or header. */
export const makeMalformedRequestResponse = (call: GatewayRequest): HostResponse =>
  makeErrorResponse(
    InvalidRequest.of([{ field: "request", constraint: "must be well-formed HTTP/1.1" }]),
    findOrGenerateRequestId(call)
  )

/** Creates the response of a service that failed to start. */
export const makeFailedStartResponse = (id: string): HostResponse => makeErrorResponse(InternalError.of(id), id)

/** Returns the request id that the client sent, or a new id. */
export const findOrGenerateRequestId = ({ headers }: GatewayRequest) => acceptOrCreateRequestId(headers["x-request-id"])
