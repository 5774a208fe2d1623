/** The service in a Fastify application: it answers before Fastify reads the body, whatever no route of your own takes. */
import * as NodeListener from "@partner-commentary/server/NodeListener"
import { type FastifyReply, type FastifyRequest, fastify } from "fastify"
import type { Service } from "./service.ts"

// #region fastify
export const application = (service: Service) => {
  const answer = NodeListener.make(service, console.error)
  const ours = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    void answer(request.raw, reply.raw)
  }
  // An address that Fastify cannot decode goes by its routes; a method that it does not know, by its hooks alone.
  const app = fastify({ frameworkErrors: (_, request, reply) => ours(request, reply) })
  app.get("/yours", (_, reply) => reply.send("Your application."))
  app.addHook("onRequest", (request, reply, next) => (request.is404 ? ours(request, reply) : next()))
  return app
}
// #endregion
