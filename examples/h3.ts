/** The service in an h3 application (Nitro, Nuxt): any router whose handlers take the web's Request. */
import { H3 } from "h3"
import type { Service } from "./service.ts"

// #region h3
export const application = (service: Service) =>
  new H3()
    .get("/yours", () => "Your application.")
    .all("/**", ({ req }) => service.fetch(req, { address: req.ip ?? "" }))
// #endregion
