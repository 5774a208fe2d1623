/** Mounts the service in h3, the server of Nitro and Nuxt. */
import { H3, serve } from "h3"
import { pc } from "./pc.ts"

const app = new H3()
app.get("/yours", () => "Your application.")
// #region glue
app.all("/commentary/**", ({ req }) => pc.fetch(req, { address: req.ip ?? "" }))
await pc.start()
// #endregion
serve(app, { port: Number(process.env.PORT) })
