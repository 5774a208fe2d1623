/** Mounts the service in Fastify 5, before Fastify reads the body. */
import { type FastifyReply, type FastifyRequest, fastify } from "fastify"
import { pc } from "./pc.ts"

// #region glue
const mount = (request: FastifyRequest, reply: FastifyReply, next: () => void) =>
  request.url.startsWith("/commentary/") ? void pc.node(request.raw, reply.hijack().raw) : next()
const app = fastify({ frameworkErrors: (error, req, res: FastifyReply) => mount(req, res, () => res.send(error)) })
app.addHook("onRequest", mount)
await pc.start()
// #endregion
app.get("/yours", () => "Your application.")
await app.listen({ port: Number(process.env.PORT) })
