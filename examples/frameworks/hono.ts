/** Mounts the service in Hono on Node. */
import { serve } from "@hono/node-server"
import { getConnInfo } from "@hono/node-server/conninfo"
import { Hono } from "hono"
import { pc } from "./pc.ts"

const app = new Hono()
app.get("/yours", (c) => c.text("Your application."))
// #region glue
app.all("/commentary/*", (c) => pc.fetch(c.req.raw, { address: getConnInfo(c).remote.address ?? "" }))
await pc.start()
// #endregion
serve({ fetch: app.fetch, port: Number(process.env.PORT) })
