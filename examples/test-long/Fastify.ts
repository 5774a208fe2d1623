/**
 * Mounts the service in a Fastify application. The service answers every request that none of your routes handles,
 * before Fastify reads the body.
 */
import { type FastifyReply, type FastifyRequest, fastify } from "fastify"
import type { PartnerCommentary } from "partner-commentary"

export const createExampleApplication = (pc: PartnerCommentary) => {
  const ours = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    void pc.node(request.raw, reply.raw)
  }
  // `frameworkErrors` receives requests whose URL Fastify cannot decode. The hook receives requests of unknown methods.
  const app = fastify({ frameworkErrors: (_, request, reply) => ours(request, reply) })
  app.get("/yours", (_, reply) => reply.send("Your application."))
  app.addHook("onRequest", (request, reply, next) => (request.is404 ? ours(request, reply) : next()))
  return app
}
