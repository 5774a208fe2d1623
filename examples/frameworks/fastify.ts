/** Mounts the service in Fastify 5, with a hook that runs before Fastify reads the body. */
import { fastify } from "fastify"
import { pc } from "./pc.ts"

const app = fastify()
app.get("/yours", () => "Your application.")
// #region glue
app.addHook("onRequest", (request, reply, next) =>
  request.url.startsWith("/commentary/") ? void pc.node(request.raw, reply.hijack().raw) : next()
)
await pc.start()
// #endregion
await app.listen({ port: Number(process.env.PORT) })
