/**
 * Reports when a response has ended: its last byte was handed to the network, or its connection closed. Also provides
 * `CloseConnection`, which closes the connection of a response.
 */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import type { OnResponseEnd } from "@partner-commentary/core/access/ConcurrencyLimit"
import { CloseConnection, ResponseEndObserver } from "@partner-commentary/server/ConcurrentRequests"
import * as Layer from "effect/Layer"

const whenResponseEnds =
  (response: ServerResponse): OnResponseEnd =>
  (release) => {
    if (response.closed) release()
    else response.once("close", release)
  }

export const layer = Layer.mergeAll(
  Layer.succeed(ResponseEndObserver, (request) =>
    whenResponseEnds(NodeHttpServerRequest.toServerResponse(request) as ServerResponse)
  ),
  Layer.succeed(CloseConnection, (request) => void NodeHttpServerRequest.toServerResponse(request).destroy())
)
