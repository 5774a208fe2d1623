/** Tests the generator of the Python client: names, types, and the documents that it refuses. */
import type { OpenApiDocument } from "@partner-commentary/api/description/Document"
import { expect, it } from "vitest"
import { renderModelsModule } from "../ModelsModule.ts"
import { renderPythonResourcesModule } from "../ResourcesModule.ts"

const text = { "application/json": { schema: { type: "object", properties: { data: { type: "string" } } } } }

const operation = (operationId: string, more: object = {}) => ({
  operationId,
  tags: [],
  parameters: [],
  security: [{ ApiKey: [] }],
  responses: { "200": { description: "", content: text } },
  ...more
})

const described = (paths: object, schemas: object = {}) =>
  ({ paths, components: { schemas, securitySchemes: {} } }) as unknown as OpenApiDocument

const methods = (paths: object) =>
  [...renderPythonResourcesModule(described(paths)).matchAll(/^ {4}(?:async )?def ([a-z]\w*)/gm)].map(
    ([, name]) => name
  )

it("methods are named after operations, without the name of their group", () => {
  const paths = {
    "/partner/v1/topics": { get: operation("listTopics"), post: operation("createTopic") },
    "/partner/v1/topics/{id}": { get: operation("getTopic") },
    "/partner/v1/topics/{id}/status": { get: operation("getTopicStatus") },
    "/partner/v1/topics/{id}/cancel": { post: operation("cancelTopic") },
    "/partner/v1/api-keys/{id}": { patch: operation("updateApiKey") },
    "/partner/v1/test/assignments/{share_id}/advance": { post: operation("advanceTestAssignment") }
  }
  const names = ["list", "create", "get", "status", "cancel", "update", "advance"]
  expect(methods(paths)).toEqual([...names, ...names])
})

it("a stream and an operation outside of the API get no method", () => {
  const stream = { responses: { "200": { description: "", content: { "text/event-stream": { schema: {} } } } } }
  expect(
    methods({
      "/partner/v1/events/stream": { get: operation("streamEvents", stream) },
      "/.well-known/sources": { get: operation("getSources") }
    })
  ).toEqual([])
})

it("two operations with the same name are refused", () => {
  const paths = {
    "/partner/v1/topics": { post: operation("createTopic") },
    "/partner/v1/topics/many": { post: operation("createTopics") },
    "/partner/v1/topics/other": { post: operation("createTopicTopic") }
  }
  expect(() => renderPythonResourcesModule(described(paths))).toThrow("two operations are topics.create in Python")
})

it("the client never repeats a POST without Idempotency-Key", () => {
  const parameters = [{ in: "header", name: "Idempotency-Key", required: false, schema: { type: "string" } }]
  const module = renderPythonResourcesModule(
    described({
      "/partner/v1/webhooks": { post: operation("createWebhook", { parameters }) },
      "/partner/v1/webhooks/{id}/test": { post: operation("testWebhook") }
    })
  )
  expect(module).toContain('Call("POST", "/webhooks", idempotency_key=idempotency_key, options=options)')
  expect(module).toContain('Call("POST", f"/webhooks/{segment(id)}/test", once=True, options=options)')
})

it("schemas become typed dictionaries, and inline objects become separate classes", () => {
  const module = renderModelsModule(
    described(
      {},
      {
        Part: {
          type: "object",
          description: 'Ends with "quotes"',
          properties: {
            kind: { type: "string", enum: ["a", "b"] },
            flag: { type: "boolean", enum: [true] },
            note: { anyOf: [{ type: "string" }, { type: "null" }] },
            names: { type: "array", items: { $ref: "#/components/schemas/Name" } },
            by_name: { type: "object", additionalProperties: { type: "integer" } },
            inner_part: { type: "object", properties: { at: { type: "number" } }, required: ["at"] }
          },
          required: ["kind"]
        },
        Any: { oneOf: [{ $ref: "#/components/schemas/Part" }, { $ref: "#/components/schemas/Name" }] },
        Name: { type: "object" }
      }
    )
  )
  expect(module.split("\n\n\n").slice(1)).toEqual([
    "class PartInnerPart(TypedDict):\n    at: float",
    [
      "class Part(TypedDict):",
      '    """Ends with "quotes"',
      '    """',
      "",
      '    kind: Literal["a", "b"]',
      "    flag: NotRequired[Literal[True]]",
      "    note: NotRequired[str | None]",
      "    names: NotRequired[list[Name]]",
      "    by_name: NotRequired[dict[str, int]]",
      "    inner_part: NotRequired[PartInnerPart]"
    ].join("\n"),
    "class Name(TypedDict):\n    pass",
    "Any = Union[Part, Name]\n"
  ])
})
