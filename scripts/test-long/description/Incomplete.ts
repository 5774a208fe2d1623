/**
 * Faults of an OpenAPI document, each with the rule and the place that must be reported. The file also contains valid
 * changes that almost violate a rule.
 */
import { type DocumentMutation, type MutableDocument, makeDocumentMutation } from "./DocumentMutation.ts"

export interface DocumentFault extends DocumentMutation {
  readonly rule: string
  /** The last part of the JSON pointer in the linter's finding. */
  readonly at: string
}

const topics = "/partner/v1/topics"

const create = (draft: MutableDocument) => draft.paths[topics]!["post"]!

const list = (draft: MutableDocument) => draft.paths[topics]!["get"]!

const fields = (draft: MutableDocument, schema: string) => draft.components.schemas[schema]!.properties!

const fault = (rule: string, at: string, what: string, change: DocumentMutation["change"]): DocumentFault => ({
  ...makeDocumentMutation(what, change),
  rule,
  at
})

const parameter = (name: string, more: object) => ({
  name,
  in: "query" as const,
  required: false,
  description: "Planted.",
  schema: { type: "string", maxLength: 9, examples: ["a"] },
  ...more
})

export const openApiDocumentFaults: ReadonlyArray<DocumentFault> = [
  fault("field-description", "Topic/properties/bare", "a field without a description", (draft) => {
    fields(draft, "Topic")["bare"] = { type: "string", examples: ["a"] }
  }),
  fault("field-description", "Topic/properties/blank/description", "a field with a blank description", (draft) => {
    fields(draft, "Topic")["blank"] = { type: "string", description: " ", examples: ["a"] }
  }),
  fault("field-description", "items/properties/deep", "a nested field without a description", (draft) => {
    fields(draft, "Topic")["nest"] = {
      type: "array",
      description: "Planted.",
      items: { type: "object", properties: { deep: { type: "string", examples: ["a"] } } }
    }
  }),
  fault("field-example", "Topic/properties/unshown", "a field without an example", (draft) => {
    fields(draft, "Topic")["unshown"] = { type: "string", description: "Planted." }
  }),
  fault("field-example", "Topic/properties/unshownList", "a list without an example", (draft) => {
    fields(draft, "Topic")["unshownList"] = { type: "array", description: "Planted.", items: { type: "string" } }
  }),
  fault("limits", "parameters/1/schema", "a number without a maximum", (draft) => {
    const limit = list(draft).parameters[1]!
    if ("schema" in limit) delete limit.schema.maximum
  }),
  fault("limits", "properties/content", "a text without a maximum", (draft) => {
    delete fields(draft, "CreateTopic")["content"]!.maxLength
  }),
  fault("limits", "properties/persona_ids", "a list without a maximum", (draft) => {
    delete fields(draft, "CreateTopic")["persona_ids"]!.maxItems
  }),
  fault("limits", "properties/persona_ids/items", "a list of texts without a maximum", (draft) => {
    fields(draft, "CreateTopic")["persona_ids"]!.items = { type: "string" }
  }),
  fault("parameter-description", "parameters/2", "a parameter without a description", (draft) => {
    create(draft).parameters[2] = parameter("undescribed", { description: undefined })
  }),
  fault("parameter-example", "parameters/3/schema", "a parameter without an example", (draft) => {
    create(draft).parameters[3] = parameter("unshown", { schema: { type: "string", maxLength: 9 } })
  }),
  fault("idempotency-key-example", "parameters/4/schema/examples", "an idempotency key to copy", (draft) => {
    create(draft).parameters[4] = parameter("Idempotency-Key", { in: "header" })
  }),
  fault("operation-name", "topics/post/operationId", "an operation under an internal name", (draft) => {
    create(draft).operationId = "topics.create"
  }),
  fault("operation-summary", "topics/post/summary", "an operation without a summary", (draft) => {
    delete create(draft).summary
  }),
  fault("operation-description", "topics/post", "an operation without a description", (draft) => {
    delete create(draft).description
  }),
  fault("operation-tag-defined", "topics/post/tags/0", "an operation of an undefined group", (draft) => {
    create(draft).tags = ["Planted"]
  }),
  fault("tag-description", "tags/0", "a group without a description", (draft) => delete draft.tags[0]!.description),
  fault("operation-caller", "topics/post/security", "an operation without a security scheme", (draft) => {
    create(draft).security = []
  }),
  fault("operation-caller", "topics/get", "an API key without a scope", (draft) => {
    delete list(draft)["x-required-scope"]
  }),
  ...["400", "401", "429", "500"].map((status) =>
    fault("operation-errors", "topics/get/responses", `an operation without status ${status}`, (draft) => {
      delete list(draft).responses[status]
    })
  ),
  fault("operation-errors", "{id}/get/responses", "an operation on an id without status 404", (draft) => {
    delete draft.paths[`${topics}/{id}`]!["get"]!.responses["404"]
  }),
  fault("body-example", "topics/post/requestBody/content/application/json", "a request without an example", (draft) => {
    delete create(draft).requestBody!.content["application/json"]!.example
  }),
  fault("body-example", "get/responses/200/content/application/json", "a response without an example", (draft) => {
    delete list(draft).responses["200"]!.content!["application/json"]!.example
  }),
  ...["no-invalid-media-type-examples", "oas3-valid-media-example"].map((rule) =>
    fault(rule, "application/json/example", "a response whose example does not fit", (draft) => {
      create(draft).responses["201"]!.content!["application/json"]!.example = { success: "planted" }
    })
  ),
  fault("no-invalid-schema-examples", "content/examples/0", "a field whose example does not fit", (draft) => {
    fields(draft, "Topic")["content"]!.examples = [1]
  }),
  ...["no-unused-components", "oas3-unused-component"].map((rule) =>
    fault(rule, "schemas/Planted", "a schema that nothing uses", (draft) => {
      draft.components.schemas["Planted"] = { type: "string", description: "Planted." }
    })
  )
]

/** Valid cases that almost violate a rule: fields whose names begin with `fine`, and one separate operation. */
export const validDocumentMutations: ReadonlyArray<DocumentMutation> = [
  makeDocumentMutation("a field that refers to another schema", (draft) => {
    fields(draft, "Topic")["fineReference"] = { $ref: "#/components/schemas/Persona" }
  }),
  makeDocumentMutation("a field with one possible value", (draft) => {
    fields(draft, "Topic")["fineValue"] = { type: "string", description: "Planted.", enum: ["a"] }
  }),
  makeDocumentMutation("a secret, whose example callers would copy", (draft) => {
    fields(draft, "CreateTopic")["secret"] = { type: "string", description: "Planted.", maxLength: 256 }
  }),
  makeDocumentMutation("a token, which has no scopes", (draft) => {
    const operation = structuredClone(draft.paths["/partner/v1/personas"]!["get"]!)
    delete operation["x-required-scope"]
    draft.paths["/partner/v1/fine"] = {
      get: { ...operation, operationId: "listFine", security: [{ DashboardToken: [] }] }
    }
  })
]
