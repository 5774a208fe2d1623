/**
 * The yardstick: POST /topics and GET /topics/{id}/status as one would write them by hand on Fastify 5 with
 * `node:sqlite`, and nothing else of the service.
 *
 * It does what the specification asks of these two: key check by SHA-256 with a memory of a few seconds, expiry,
 * revocation, address list, rate windows and scope; ajv for the body, with every problem named; length in code points; licences;
 * duplicate windows; monthly quota; topic, assignments, queued mails and totals in one transaction per request
 * (`peer/Store.ts`); response schemas, so that fast-json-stringify writes the JSON; `X-Request-Id` on every answer.
 *
 * It leaves out what only costs time here: idempotency keys, address ranges, duplicate keys and inexact
 * numbers in JSON, and the columns and indexes of what comes after a submission (drafts, generation, creators' links).
 *
 * `node bench/peer.ts FILE` seeds an empty FILE, listens on a free port and prints one line of JSON.
 */
import { createHash, randomUUID } from "node:crypto"
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from "fastify"
import { authentication } from "./peer/Keys.ts"
import { Refusal } from "./peer/Refusal.ts"
import { body, created, progress, uuidPattern } from "./peer/Schemas.ts"
import { seed } from "./peer/Seed.ts"
import { type Caller, open, QuotaUsedUp } from "./peer/Store.ts"

const invalid = (field: string, constraint: string) =>
  new Refusal(400, "invalid_request", `Invalid request: ${field} ${constraint}.`, {
    field,
    constraint,
    errors: [{ field, constraint }]
  })

const store = open(process.argv[2]!)
const fixtures = seed(store.db)

const hour = 3_600_000
const isUuid = new RegExp(uuidPattern)
const hasControls = /[^\P{Cc}\t\n\r]/u
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** Version 7: rows that are written together lie together. */
const newId = () => {
  const time = Date.now().toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

interface NewTopicBody {
  readonly content: string
  readonly persona_ids: ReadonlyArray<string>
  readonly external_reference?: string
  readonly output_types?: ReadonlyArray<string>
  readonly metadata?: Readonly<Record<string, unknown>>
}

const submit = (request: FastifyRequest<{ Body: NewTopicBody }>, reply: FastifyReply) => {
  const { caller } = request
  const wanted = request.body
  const content = wanted.content.trim()
  const length = [...content].length
  if (length < 10 || length > 500) {
    throw invalid("content", `must be 10 to 500 characters long after trimming; it is ${length}`)
  }
  if (hasControls.test(content)) throw invalid("content", "must not contain control characters")
  const metadata = JSON.stringify(wanted.metadata ?? {})
  if (Buffer.byteLength(metadata) > 16 * 1024) throw invalid("metadata", "must be at most 16 KiB as JSON")

  const now = Date.now()
  const createdAt = new Date(now).toISOString()
  const id = newId()
  const shares = new Map<string, string>()
  const personas = []
  for (const personaId of wanted.persona_ids) {
    const key = personaId.toLowerCase()
    if (shares.has(key)) continue
    const row = store.licensed(caller, key, createdAt)
    if (row === undefined) continue
    const shareId = newId()
    shares.set(key, shareId)
    personas.push({ shareId, row })
  }
  const fingerprint = sha256(content.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase())
  const holders =
    personas.length === 0
      ? new Map()
      : store.submit(caller, {
          id,
          content,
          reference: wanted.external_reference ?? null,
          outputTypes: JSON.stringify(wanted.output_types ?? ["text"]),
          metadata,
          fingerprint,
          createdAt,
          windowUntil: new Date(now + 24 * hour).toISOString(),
          dueAt: new Date(now + 72 * hour).toISOString(),
          personas
        })

  const seen = new Set<string>()
  const results = wanted.persona_ids.map((sentId) => {
    const key = sentId.toLowerCase()
    const shareId = shares.get(key)
    if (shareId === undefined) return { persona_id: key, status: "not_licensed" }
    const held = holders.get(key)
    if (held === undefined && !seen.has(key)) {
      seen.add(key)
      return { persona_id: key, status: "sent", share_id: shareId }
    }
    return { persona_id: key, status: "duplicate", duplicate_of: held ?? { topic_id: id, share_id: shareId } }
  })
  if (seen.size === 0) {
    throw new Refusal(400, "no_valid_personas", "None of the requested personas could be sent to.", results)
  }
  reply.code(201).header("location", `/partner/v1/topics/${id}`)
  reply.send({
    success: true,
    data: {
      topic_id: id,
      external_reference: wanted.external_reference,
      content,
      metadata: wanted.metadata ?? {},
      personas_sent: seen.size,
      results,
      status: "pending",
      created_at: createdAt
    }
  })
}

const topicNotFound = () => new Refusal(404, "not_found", "Topic not found.")

const status = (request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) => {
  const id = request.params.id.toLowerCase()
  if (!isUuid.test(id)) throw topicNotFound()
  const rows = store.status(request.caller, id)
  const topic = rows[0]
  if (topic === undefined) throw topicNotFound()
  reply.send({
    success: true,
    data: {
      topic_id: id,
      content: topic.content,
      overall_status: topic.topic_status,
      created_at: topic.created_at,
      personas: rows.map((row) => ({
        share_id: row.share_id,
        persona_id: row.persona_id,
        persona_name: row.persona_name,
        status: row.status,
        status_updated_at: row.status_updated_at,
        has_commentary: row.status === "creator_approved",
        failure: row.failure_reason === null ? null : { reason: row.failure_reason, at: row.failure_at }
      })),
      summary: {
        total: rows.length,
        topic_sent: topic.topic_sent,
        opinion_injected: topic.opinion_injected,
        commentary_generated: topic.commentary_generated,
        creator_approved: topic.creator_approved,
        declined: topic.declined,
        expired: topic.expired
      }
    }
  })
}

const refuse = (error: FastifyError | Refusal | QuotaUsedUp, request: FastifyRequest, reply: FastifyReply) => {
  const { code, details, message, status: statusCode } = toRefusal(error, request.id)
  reply
    .code(statusCode)
    .send({ success: false, error: { code, message, ...(details === undefined ? {} : { details }) } })
}

const toRefusal = (error: FastifyError | Refusal | QuotaUsedUp, requestId: string): Refusal => {
  if (error instanceof Refusal) return error
  if (error instanceof QuotaUsedUp) {
    const now = new Date()
    const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
    const { limit, quota, remaining } = error
    const retry_after = Math.ceil((next - now.getTime()) / 1000)
    return new Refusal(429, "rate_limit_exceeded", error.message, { retry_after, limit, remaining, quota })
  }
  if (error.validation !== undefined) {
    const errors = error.validation.map(({ instancePath, message, params }) => ({
      field: instancePath.slice(1).replaceAll("/", ".") || String(params["missingProperty"] ?? "body"),
      constraint: message ?? "is invalid"
    }))
    return new Refusal(400, "invalid_request", error.message, { ...errors[0], errors })
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return invalid("body", error.message)
  return new Refusal(500, "internal_error", `The server failed. Please report the request id ${requestId}.`)
}

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
  refuse(new Refusal(404, "not_found", "There is no such path, or not with this method."), request, reply)
)
app.register(
  (partner, _options, done) => {
    partner.decorateRequest("caller", null as unknown as Caller)
    partner.addHook("onRequest", authentication(store))
    partner.post(
      "/topics",
      { config: { scope: "topics:submit", limited: "submissions" }, schema: { body, response: { 201: created } } },
      submit
    )
    partner.get(
      "/topics/:id/status",
      { config: { scope: "topics:read" }, schema: { response: { 200: progress } } },
      status
    )
    done()
  },
  { prefix: "/partner/v1" }
)
const address = await app.listen({ host: "127.0.0.1", port: 0 })
console.log(JSON.stringify({ apiRoot: address, ...fixtures }))
