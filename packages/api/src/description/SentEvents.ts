/**
 * Builds the section `webhooks` of the OpenAPI document, with one request for each event type and for the test event.
 */
import {
  type JsonSchema,
  type JsonValue,
  jsonContentType,
  type Operation,
  type Parameter,
  type PathItem
} from "./Document.ts"
import { findExample } from "./ExampleValue.ts"
import { resolveSchema } from "./SchemaText.ts"

type Schemas = Readonly<Record<string, JsonSchema>>

/** The name of the schema that contains all event types. */
const union = "Event"

/** Returns one request for each event type; an empty object when the contract has no events. */
export const describeSentEvents = (schemas: Schemas): Readonly<Record<string, PathItem>> => {
  const events = schemas[union]?.oneOf ?? []
  if (events.length === 0) return {}
  return Object.fromEntries(
    [...events, tested].map((event) => {
      const { description = "", properties } = resolveSchema(event, schemas)
      const type = String(properties?.["type"]?.enum?.[0])
      return [type, { post: request(type, description, event, schemas) }]
    })
  )
}

const request = (type: string, description: string, schema: JsonSchema, schemas: Schemas): Operation => {
  const example = findExample(schema, schemas)
  return {
    tags: ["Webhooks"],
    operationId: `on${type.replace(/(?:^|\.)[a-z]/g, (start) => start.slice(-1).toUpperCase())}`,
    summary: description.split(/\.(?:\s|$)/, 1).join(""),
    description: `${description}\n\nThe section "Webhooks" above explains the signature, and how failed deliveries are retried.`,
    security: [],
    parameters: headers(idOf(example)),
    requestBody: {
      required: true,
      content: { [jsonContentType]: { schema, ...(example === undefined ? {} : { example }) } }
    },
    responses: answers
  }
}

const idOf = (example: JsonValue | undefined): string =>
  typeof example === "object" && example !== null && "id" in example ? String(example["id"]) : ""

const header = (name: string, description: string, example: string): Parameter => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example
})

const headers = (id: string): ReadonlyArray<Parameter> => [
  header("webhook-id", "The event's `id`, the same on every attempt.", id),
  header("webhook-timestamp", "When this attempt started, in seconds since 1970.", "1769785800"),
  header(
    "webhook-signature",
    "`v1,` and the signature in base64. There can be several, separated by spaces. Accept the request if one of them matches.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
  )
]

/** The responses with which a receiver can reply. */
const answers: Operation["responses"] = {
  "2XX": {
    description:
      "The event arrived. The service reads the first 64 KiB of the response, and shows the first KiB with the delivery."
  },
  "410": { description: "The endpoint is gone, so the webhook is disabled." },
  "429": {
    description:
      "All deliveries of the webhook wait until `Retry-After`, up to 24 hours. The response does not use up an attempt."
  },
  default: { description: "The event did not arrive, and is sent again." }
}

/**
 * The schema of the event that `POST /webhooks/{id}/test` sends. The union of events lacks the test event, because a
 * test event belongs to no topic.
 */
const tested: JsonSchema = {
  type: "object",
  description: "You tested the webhook.",
  required: ["id", "type", "timestamp", "sequence", "data"],
  properties: {
    id: {
      type: "string",
      description: "`evt_test_` and a UUID.",
      examples: ["evt_test_019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"]
    },
    type: { type: "string", enum: ["webhook.test"], description: "The event's type." },
    timestamp: {
      type: "string",
      format: "date-time",
      description: "When the event happened: ISO 8601, UTC.",
      examples: ["2026-01-30T15:10:00.000Z"]
    },
    sequence: { type: "integer", description: "Always 1.", examples: [1] },
    data: {
      type: "object",
      description: "The webhook that was tested.",
      required: ["webhook_id", "environment"],
      properties: {
        webhook_id: {
          type: "string",
          description: "The webhook's id.",
          examples: ["019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"]
        },
        environment: {
          type: "string",
          enum: ["live", "test"],
          description: "The environment of the webhook.",
          examples: ["live"]
        }
      }
    }
  }
}
