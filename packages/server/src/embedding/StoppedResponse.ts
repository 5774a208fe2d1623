/** Creates the response to a request that arrives after the stop of the service began. */
import { serviceStoppedResponse } from "@partner-commentary/api/Errors"
import * as Envelope from "../http/Envelope.ts"
import { acceptOrCreateRequestId, defaultCacheControl } from "../middleware/Responses.ts"

/** Creates the response in the error envelope. `requestId` is the request id that the client sent. */
export const makeStoppedResponse = (requestId: string | undefined) => {
  const id = acceptOrCreateRequestId(requestId)
  return {
    status: serviceStoppedResponse.status,
    headers: {
      "content-type": Envelope.jsonContentType,
      "x-request-id": id,
      "cache-control": defaultCacheControl,
      "retry-after": String(serviceStoppedResponse.retryAfter)
    },
    body: Envelope.formatFailureJson(serviceStoppedResponse.of(id)),
    // An open connection would keep the application's server from closing.
    closesConnection: true
  }
}
