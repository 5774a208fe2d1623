/** Mounts the service on Node's HTTP server, beside your own routes. */
import { createServer } from "node:http"
import type { PartnerCommentary } from "partner-commentary"

export const createExampleServer = (pc: PartnerCommentary) =>
  createServer((request, response) => {
    if (request.url === "/yours") response.end("Your application.")
    else void pc.node(request, response)
  })
