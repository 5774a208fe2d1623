/** Mounts the service on Node's HTTP server, in addition to your own routes. */
import { createServer } from "node:http"
import type { PartnerCommentary } from "partner-commentary"

export const server = (pc: PartnerCommentary) =>
  createServer((request, response) => {
    if (request.url === "/yours") response.end("Your application.")
    else void pc.node(request, response)
  })
