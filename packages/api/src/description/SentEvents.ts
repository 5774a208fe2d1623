/** Builds OpenAPI's `webhooks`: one request for each event type, and the test event. */
import { type Json, type JsonSchema, json, type Operation, type Parameter, type Path } from "./Document.ts"
import { exampleOf } from "./ExampleValue.ts"
import { resolve } from "./SchemaText.ts"

type Schemas = Readonly<Record<string, JsonSchema>>

/** The schema of all webhook events. */
const union = "Event"

/** The schemas of the events by type. The result is empty when the contract has no events. */
export const sentEvents = (schemas: Schemas): Readonly<Record<string, Path>> => {
  const events = schemas[union]?.oneOf ?? []
  if (events.length === 0) return {}
  return Object.fromEntries(
    [...events, tested].map((event) => {
      const { description = "", properties } = resolve(event, schemas)
      const type = String(properties?.["type"]?.enum?.[0])
      return [type, { post: request(type, description, event, schemas) }]
    })
  )
}

const request = (type: string, description: string, schema: JsonSchema, schemas: Schemas): Operation => {
  const example = exampleOf(schema, schemas)
  return {
    tags: ["Webhooks"],
    operationId: `on${type.replace(/(?:^|\.)[a-z]/g, (start) => start.slice(-1).toUpperCase())}`,
    summary: description.replace(/\.$/, ""),
    description: `${description}\n\nSee "Webhooks" above for its signature, and for what becomes of it when it does not arrive.`,
    security: [],
    parameters: headers(idOf(example)),
    requestBody: { required: true, content: { [json]: { schema, ...(example === undefined ? {} : { example }) } } },
    responses: answers
  }
}

const idOf = (example: Json | undefined): string =>
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
  header("webhook-id", "The event's `id`: the same on every attempt.", id),
  header("webhook-timestamp", "When this attempt was begun: seconds since 1970.", "1769785800"),
  header(
    "webhook-signature",
    "`v1,` and the signature in base64. More than one may come, with a blank between them: one that fits is enough.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
  )
]

/** The responses that a receiver may give. */
const answers: Operation["responses"] = {
  "2XX": {
    description: "It arrived. The first 64 KiB of the answer are read, and its first KiB is shown with the delivery."
  },
  "410": { description: "Nothing more is wanted: the webhook is disabled." },
  "429": {
    description:
      "Later: all deliveries of the webhook wait until `Retry-After`, up to 24 hours, and the event loses no attempt."
  },
  default: { description: "It did not arrive, and is sent again." }
}

/**
 * The event of `POST /webhooks/{id}/test`. The event list does not contain this event, because it belongs to no topic.
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
    type: { type: "string", enum: ["webhook.test"], description: "What happened." },
    timestamp: {
      type: "string",
      format: "date-time",
      description: "When it happened: ISO 8601, UTC.",
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
          description: "The environment of its keys.",
          examples: ["live"]
        }
      }
    }
  }
}
