/**
 * Mounts the service in h3 (Nitro, Nuxt). Any router whose handlers take a Web-standard Request works in the same way.
 */
import { H3 } from "h3"
import type { PartnerCommentary } from "partner-commentary"

export const application = (pc: PartnerCommentary) =>
  new H3().get("/yours", () => "Your application.").all("/**", ({ req }) => pc.fetch(req, { address: req.ip ?? "" }))
