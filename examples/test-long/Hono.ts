/** Mounts the service in a Hono application, in addition to your own routes. */
import type { HttpBindings } from "@hono/node-server"
import { Hono } from "hono"
import type { PartnerCommentary } from "partner-commentary"

export const createExampleApplication = (pc: PartnerCommentary) =>
  new Hono<{ Bindings: HttpBindings }>()
    .get("/yours", (c) => c.text("Your application."))
    .all("*", ({ env: { incoming }, req }) =>
      pc.fetch(req.raw, { address: incoming.socket.remoteAddress ?? "", target: incoming.url ?? "/" })
    )
