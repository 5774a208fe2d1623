/**
 * Builds the peer's HTTP server with Fastify, hooks, errors and two routes. The route handlers, which use the database,
 * are parameters.
 */
import { randomUUID } from "node:crypto"
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify"
import { makeInvalidRequestRefusal, type NewTopicBody } from "./Answers.ts"
import type { makeAuthenticationHook } from "./Keys.ts"
import { RequestRefusal } from "./Refusal.ts"
import { newTopicBodySchema, topicCreatedResponseSchema, topicStatusResponseSchema } from "./Schemas.ts"
import type { PeerFixtures } from "./Seed.ts"
import { type AuthenticatedCaller, QuotaExceeded } from "./Store.ts"

export interface PeerHandlers {
  readonly authenticate: ReturnType<typeof makeAuthenticationHook>
  readonly submit: (request: FastifyRequest<{ Body: NewTopicBody }>, reply: FastifyReply) => unknown
  readonly status: (request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) => unknown
  /** The handlers of the additional GET endpoints that bench/reads.ts measures. */
  readonly reads?: ReadonlyArray<PeerReadEndpoint>
}

export interface PeerReadEndpoint {
  readonly path: string
  readonly scope: string
  /** Handles the request and returns the whole body of the response. */
  readonly answer: (caller: AuthenticatedCaller, id: string) => unknown
}

const refuse = (error: FastifyError | RequestRefusal | QuotaExceeded, request: FastifyRequest, reply: FastifyReply) => {
  const { code, details, message, status: statusCode } = toRefusal(error, request.id)
  reply
    .code(statusCode)
    .send({ success: false, error: { code, message, ...(details === undefined ? {} : { details }) } })
}

const toRefusal = (error: FastifyError | RequestRefusal | QuotaExceeded, requestId: string): RequestRefusal => {
  if (error instanceof RequestRefusal) return error
  if (error instanceof QuotaExceeded) {
    const now = new Date()
    const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
    const { limit, quota, remaining } = error
    const retry_after = Math.ceil((next - now.getTime()) / 1000)
    return new RequestRefusal(429, "rate_limit_exceeded", error.message, { retry_after, limit, remaining, quota })
  }
  if (error.validation !== undefined) {
    const errors = error.validation.map(({ instancePath, message, params }) => ({
      field: instancePath.slice(1).replaceAll("/", ".") || String(params["missingProperty"] ?? "body"),
      constraint: message ?? "is invalid"
    }))
    return new RequestRefusal(400, "invalid_request", error.message, { ...errors[0], errors })
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return makeInvalidRequestRefusal("body", error.message)
  return new RequestRefusal(500, "internal_error", `The service failed. Please report the request id ${requestId}.`)
}

export const startPeerServer = async (
  handlers: PeerHandlers,
  fixtures: PeerFixtures,
  addRoutes: (app: FastifyInstance) => void = () => {}
): Promise<string> => {
  const app = Fastify({
    logger: false,
    bodyLimit: 256 * 1024,
    requestIdHeader: false,
    genReqId: ({ headers }) => {
      const sent = headers["x-request-id"]
      return typeof sent === "string" && /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID()
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true } }
  })
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id)
    done()
  })
  app.setErrorHandler(refuse)
  app.setNotFoundHandler((request, reply) =>
    refuse(new RequestRefusal(404, "not_found", "There is no such path, or not with this method."), request, reply)
  )
  app.register(
    (partner, _options, done) => {
      partner.decorateRequest("caller", null as unknown as AuthenticatedCaller)
      partner.addHook("onRequest", handlers.authenticate)
      partner.post(
        "/topics",
        {
          config: { scope: "topics:submit", limited: "submissions" },
          schema: { body: newTopicBodySchema, response: { 201: topicCreatedResponseSchema } }
        },
        handlers.submit
      )
      partner.get(
        "/topics/:id/status",
        { config: { scope: "topics:read" }, schema: { response: { 200: topicStatusResponseSchema } } },
        handlers.status
      )
      for (const { answer, path, scope } of handlers.reads ?? []) {
        partner.get(path, { config: { scope } }, (request: FastifyRequest<{ Params: { id?: string } }>, reply) => {
          reply.send(answer(request.caller, request.params.id ?? ""))
        })
      }
      done()
    },
    { prefix: "/partner/v1" }
  )
  addRoutes(app as unknown as FastifyInstance)
  const address = await app.listen({ host: "127.0.0.1", port: 0 })
  console.log(JSON.stringify({ apiRoot: address, ...fixtures }))
  return address
}
