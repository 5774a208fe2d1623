/**
 * Mounts the service in an h3 application (Nitro, Nuxt). The handler works with any router whose handlers take a
 * Web-standard Request.
 */
import { H3 } from "h3"
import type { PartnerCommentary } from "partner-commentary"

export const createExampleApplication = (pc: PartnerCommentary) =>
  new H3().get("/yours", () => "Your application.").all("/**", ({ req }) => pc.fetch(req, { address: req.ip ?? "" }))
