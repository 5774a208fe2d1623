/** Mounts the service in Hono on Bun. */
import { Hono } from "hono"
import { getConnInfo } from "hono/bun"
import { pc } from "./pc.ts"

const app = new Hono()
app.get("/yours", (c) => c.text("Your application."))
// #region glue
app.all("/commentary/*", (c) => pc.fetch(c.req.raw, { address: getConnInfo(c).remote.address ?? "" }))
await pc.start()
// #endregion
export default { fetch: app.fetch, port: Number(process.env.PORT) }
