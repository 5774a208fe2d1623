/** Creates the response to a request that arrives after the stop of the service began. */
import { serviceStoppedResponse } from "@partner-commentary/api/Errors"
import { acceptOrCreateRequestId, makeErrorResponse } from "../middleware/Responses.ts"

/** Creates the response in the error envelope. `requestId` is the request id that the client sent. */
export const makeStoppedResponse = (requestId: string | undefined) => {
  const id = acceptOrCreateRequestId(requestId)
  const response = makeErrorResponse(serviceStoppedResponse.of(id), id)
  return {
    ...response,
    status: serviceStoppedResponse.status,
    headers: { ...response.headers, "retry-after": String(serviceStoppedResponse.retryAfter) },
    // An open connection would keep the application's server from closing.
    closesConnection: true
  }
}
