/** The work of the hand-written comparison service without its database: checks, ids and response bodies. */
import { createHash, randomUUID } from "node:crypto"
import { RequestRefusal } from "./Refusal.ts"
import { uuidPattern } from "./Schemas.ts"
import type { AssignmentStatusRow, EarlierSubmission, NewTopic, PersonaRow } from "./Store.ts"

export const makeInvalidRequestRefusal = (field: string, constraint: string) =>
  new RequestRefusal(400, "invalid_request", `Invalid request: ${field} ${constraint}.`, {
    field,
    constraint,
    errors: [{ field, constraint }]
  })

const hour = 3_600_000
const isUuid = new RegExp(uuidPattern)
const hasControls = /[^\P{Cc}\t\n\r]/u
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** Creates a UUID of version 7, so that rows that are written together are stored together. */
const newId = () => {
  const time = Date.now().toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

export interface NewTopicBody {
  readonly content: string
  readonly persona_ids: ReadonlyArray<string>
  readonly external_reference?: string
  readonly output_types?: ReadonlyArray<string>
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** Validates a topic. The result contains each licensed persona once. */
export const parseNewTopic = (
  wanted: NewTopicBody,
  rows: (now: string) => ReadonlyMap<string, PersonaRow>
): NewTopic => {
  const content = wanted.content.trim()
  const length = [...content].length
  if (length < 10 || length > 500) {
    throw makeInvalidRequestRefusal("content", `must be 10 to 500 characters long after trimming; it is ${length}`)
  }
  if (hasControls.test(content)) throw makeInvalidRequestRefusal("content", "must not contain control characters")
  const metadata = JSON.stringify(wanted.metadata ?? {})
  if (Buffer.byteLength(metadata) > 16 * 1024)
    throw makeInvalidRequestRefusal("metadata", "must be at most 16 KiB as JSON")

  const now = Date.now()
  const createdAt = new Date(now).toISOString()
  const licensed = rows(createdAt)
  const keys = new Set(wanted.persona_ids.map((id) => id.toLowerCase()))
  return {
    id: newId(),
    content,
    reference: wanted.external_reference ?? null,
    outputTypes: JSON.stringify(wanted.output_types ?? ["text"]),
    metadata,
    fingerprint: sha256(content.normalize("NFKC").trim().replace(/\s+/gu, " ").toLowerCase()),
    createdAt,
    windowUntil: new Date(now + 24 * hour).toISOString(),
    dueAt: new Date(now + 72 * hour).toISOString(),
    personas: [...keys].flatMap((key) => {
      const row = licensed.get(key)
      return row === undefined ? [] : [{ shareId: newId(), row }]
    })
  }
}

/** Builds the response's body. `holders` are the earlier submissions of the same topic, by persona. */
export const makeTopicCreatedResponse = (
  wanted: NewTopicBody,
  topic: NewTopic,
  holders: ReadonlyMap<string, EarlierSubmission>
) => {
  const shares = new Map(topic.personas.map(({ row, shareId }) => [row.id, shareId]))
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
    return { persona_id: key, status: "duplicate", duplicate_of: held ?? { topic_id: topic.id, share_id: shareId } }
  })
  if (seen.size === 0) {
    throw new RequestRefusal(400, "no_valid_personas", "None of the requested personas could be sent to.", results)
  }
  return {
    success: true,
    data: {
      topic_id: topic.id,
      external_reference: wanted.external_reference,
      content: topic.content,
      metadata: wanted.metadata ?? {},
      personas_sent: seen.size,
      results,
      status: "pending",
      created_at: topic.createdAt
    }
  }
}

const topicNotFound = () => new RequestRefusal(404, "not_found", "Topic not found.")

export const parseTopicId = (given: string): string => {
  const id = given.toLowerCase()
  if (!isUuid.test(id)) throw topicNotFound()
  return id
}

export const makeTopicStatusResponse = (id: string, rows: ReadonlyArray<AssignmentStatusRow>) => {
  const topic = rows[0]
  if (topic === undefined) throw topicNotFound()
  return {
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
  }
}
