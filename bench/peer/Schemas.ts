/**
 * JSON Schemas of the peer's two endpoints. ajv validates the requests, and fast-json-stringify writes the responses.
 */
export const uuidPattern = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"

export const newTopicBodySchema = {
  type: "object",
  required: ["content", "persona_ids"],
  properties: {
    content: { type: "string" },
    persona_ids: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: { type: "string", pattern: uuidPattern }
    },
    external_reference: { type: "string", pattern: "^(?!\\.{1,2}$)[A-Za-z0-9\\-_.:]{1,256}$" },
    output_types: {
      type: "array",
      minItems: 1,
      uniqueItems: true,
      items: { type: "string", enum: ["text", "audio", "video"] }
    },
    metadata: { type: "object" }
  }
}

const text = { type: "string" }
const count = { type: "integer" }
const object = (properties: Record<string, unknown>) => ({ type: "object", properties })
const list = (items: unknown) => ({ type: "array", items })
const ok = (data: unknown) => object({ success: { type: "boolean" }, data })

export const topicCreatedResponseSchema = ok(
  object({
    topic_id: text,
    external_reference: text,
    content: text,
    metadata: { type: "object", additionalProperties: true },
    personas_sent: count,
    results: list(
      object({
        persona_id: text,
        status: text,
        share_id: text,
        duplicate_of: object({ topic_id: text, share_id: text })
      })
    ),
    status: text,
    created_at: text
  })
)

export const topicStatusResponseSchema = ok(
  object({
    topic_id: text,
    content: text,
    overall_status: text,
    created_at: text,
    personas: list(
      object({
        share_id: text,
        persona_id: text,
        persona_name: text,
        status: text,
        status_updated_at: text,
        has_commentary: { type: "boolean" },
        failure: { ...object({ reason: text, at: text }), nullable: true }
      })
    ),
    summary: object({
      total: count,
      topic_sent: count,
      opinion_injected: count,
      commentary_generated: count,
      creator_approved: count,
      declined: count,
      expired: count
    })
  })
)
