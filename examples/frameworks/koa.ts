/** Mounts the service in Koa. */
import Koa from "koa"
import { pc } from "./pc.ts"

const app = new Koa()
// #region glue
app.use((context, next) => {
  if (!context.path.startsWith("/commentary/")) return next()
  context.respond = false
  return pc.node(context.req, context.res)
})
await pc.start()
// #endregion
app.use((context) => void Object.assign(context, { body: "Your application." }))
app.listen(process.env.PORT)
