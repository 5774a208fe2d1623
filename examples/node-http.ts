/** The service on Node's own server, beside whatever else it answers. */
import { createServer } from "node:http"
import * as NodeListener from "@partner-commentary/server/NodeListener"
import type { Service } from "./service.ts"

// #region node-http
export const server = (service: Service) => {
  const answer = NodeListener.make(service, console.error)
  return createServer((request, response) => {
    if (request.url === "/yours") response.end("Your application.")
    else void answer(request, response)
  })
}
// #endregion
