/** Lists breaking changes and compatible changes of an OpenAPI document. */
import { type JsonSchema, jsonContentType, type Operation } from "@partner-commentary/api/description/Document"
import { type MutableDocument, makeDocumentMutation } from "./DocumentMutation.ts"

const topics = "/partner/v1/topics"

const at = (draft: MutableDocument, method = "post", path = topics) => draft.paths[path]![method]!

const schema = (draft: MutableDocument, name: string) => draft.components.schemas[name]!

const errorOf = (draft: MutableDocument, name: string) =>
  draft.components.schemas[`${name}Error`] ?? schema(draft, name).properties!["error"]!

const sent = (draft: MutableDocument, name: string) => schema(draft, "CreateTopic").properties![name]!

const answered = (draft: MutableDocument, name: string) => schema(draft, "Topic").properties![name]!

const events = (draft: MutableDocument) => (schema(draft, "Event").oneOf ?? schema(draft, "Event").anyOf)!

const query = (draft: MutableDocument, name: string) =>
  at(draft, "get").parameters.find(
    (one): one is Extract<typeof one, { name: string }> => "name" in one && one.name === name
  )!

const without = <A>(list: ReadonlyArray<A> | undefined, value: A): Array<A> =>
  (list ?? []).filter((one) => one !== value)

export const breakingChanges = [
  makeDocumentMutation("an operation removed", (draft) => delete draft.paths[topics]!["get"]),
  makeDocumentMutation("a path renamed", (draft) => {
    draft.paths[`${topics}s`] = draft.paths[topics]!
    delete draft.paths[topics]
  }),
  makeDocumentMutation("a field of an answer removed", (draft) => {
    delete schema(draft, "Topic").properties!["personas_sent"]
    schema(draft, "Topic").required = without(schema(draft, "Topic").required, "personas_sent")
  }),
  makeDocumentMutation("a field of an answer become optional", (draft) => {
    schema(draft, "Topic").required = without(schema(draft, "Topic").required, "personas_sent")
  }),
  makeDocumentMutation("a field of an answer become nullable", (draft) => {
    const { created_at, ...rest } = schema(draft, "Topic").properties!
    schema(draft, "Topic").properties = { ...rest, created_at: { anyOf: [created_at!, { type: "null" }] } }
  }),
  makeDocumentMutation("a field of another type in an answer", (draft) => {
    answered(draft, "personas_sent").type = "string"
  }),
  makeDocumentMutation("a field of another type in a request", (draft) => {
    sent(draft, "content").type = "object"
  }),
  makeDocumentMutation("a new value in an answer", (draft) => {
    schema(draft, "TopicSummary").properties!["status"]!.enum!.push("planted")
  }),
  makeDocumentMutation("a failure reason that the caller does not cause", (draft) => {
    schema(draft, "Failure").properties!["reason"]!.enum!.push("planted")
  }),
  makeDocumentMutation("an event that lost a field", (draft) => {
    const data = schema(draft, "CreatorApprovedEventData")
    delete data.properties!["share_id"]
    data.required = without(data.required, "share_id")
  }),
  makeDocumentMutation("a class of failed attempts more", (draft) => {
    const attempt = schema(draft, "DeliveryAttempt").properties!["error_class"]!
    const values = attempt.enum ?? attempt.anyOf!.find((one: JsonSchema) => one.enum !== undefined)!.enum!
    values.push("planted")
  }),
  makeDocumentMutation("another value in an answer", (draft) => {
    answered(draft, "status").enum = ["planted"]
  }),
  makeDocumentMutation("a value no longer taken", (draft) => {
    const items = sent(draft, "output_types").items!
    items.enum = without(items.enum, "video")
  }),
  makeDocumentMutation("a new required field in a request", (draft) => {
    schema(draft, "CreateTopic").properties!["planted"] = { type: "string" }
    schema(draft, "CreateTopic").required!.push("planted")
  }),
  makeDocumentMutation("a field become required in a request", (draft) => {
    schema(draft, "CreateTopic").required!.push("metadata")
  }),
  makeDocumentMutation("a shorter longest text", (draft) => {
    sent(draft, "content").maxLength = 400
  }),
  makeDocumentMutation("a longer shortest text", (draft) => {
    sent(draft, "content").minLength = 20
  }),
  makeDocumentMutation("a limit where there was none", (draft) => {
    sent(draft, "external_reference").maxLength = 10
  }),
  makeDocumentMutation("a narrower pattern", (draft) => {
    sent(draft, "external_reference").pattern = "^[a-z]+$"
  }),
  makeDocumentMutation("a shorter list", (draft) => {
    sent(draft, "persona_ids").maxItems = 10
  }),
  makeDocumentMutation("a smaller range of a parameter", (draft) => {
    query(draft, "limit").schema.maximum = 50
  }),
  makeDocumentMutation("a parameter removed", (draft) => {
    at(draft, "get").parameters = at(draft, "get").parameters.filter((one) => one !== query(draft, "limit"))
  }),
  makeDocumentMutation("a new required parameter", (draft) => {
    at(draft, "get").parameters.push({ name: "planted", in: "query", required: true, schema: { type: "string" } })
  }),
  makeDocumentMutation("a request body become required of nobody", (draft) => delete at(draft).requestBody),
  makeDocumentMutation("an error code removed", (draft) => {
    const media = at(draft).responses["400"]!.content![jsonContentType]!
    const errors = media.schema.properties?.["error"] ?? media.schema
    const others = (errors.oneOf ?? errors.anyOf)!.filter((one: JsonSchema) => !one.$ref!.includes("NoValidPersonas"))
    if (errors.oneOf === undefined) errors.anyOf = others
    else errors.oneOf = others
  }),
  makeDocumentMutation("an error code renamed", (draft) => {
    errorOf(draft, "NotFound").properties!["code"]!.enum = ["planted"]
  }),
  makeDocumentMutation("a field of an error's details removed", (draft) => {
    delete errorOf(draft, "RateLimitExceeded").properties!["details"]!.properties!["retry_after"]
  }),
  makeDocumentMutation("another type of the error of a failed attempt", (draft) => {
    schema(draft, "DeliveryAttempt").properties!["error"]!.anyOf!.push({ type: "integer" })
  }),
  makeDocumentMutation("another status of success", (draft) => {
    const { "201": created, ...rest } = at(draft).responses
    at(draft).responses = { ...rest, "200": created! }
  }),
  makeDocumentMutation("another status of an error", (draft) => {
    const { "404": missing, ...rest } = at(draft, "get", `${topics}/{id}`).responses
    at(draft, "get", `${topics}/{id}`).responses = { ...rest, "410": missing! }
  }),
  makeDocumentMutation(
    "a header of an answer removed",
    (draft) => delete at(draft).responses["201"]!.headers!["Location"]
  ),
  makeDocumentMutation("another scope", (draft) => {
    at(draft)["x-required-scope"] = "usage:read"
  }),
  makeDocumentMutation("another way to name the caller", (draft) => {
    at(draft).security = [{ Planted: [] }]
    draft.components.securitySchemes["Planted"] = { type: "http", scheme: "bearer" }
  })
]

export const compatibleChanges = [
  makeDocumentMutation("a new operation", (draft) => {
    draft.paths[`${topics}/planted`] = { post: { ...structuredClone(at(draft)), operationId: "plantTopic" } }
  }),
  makeDocumentMutation("a new field in an answer", (draft) => {
    schema(draft, "Topic").properties!["planted"] = { type: "string" }
    schema(draft, "Topic").required!.push("planted")
  }),
  makeDocumentMutation("a new optional field in a request", (draft) => {
    schema(draft, "CreateTopic").properties!["planted"] = { type: "string" }
  }),
  makeDocumentMutation("a longer longest text", (draft) => {
    sent(draft, "content").maxLength = 600
  }),
  makeDocumentMutation("a value more that is taken", (draft) => {
    sent(draft, "output_types").items!.enum!.push("planted")
  }),
  makeDocumentMutation("a scope more, which a key has only if it was asked for", (draft) => {
    for (const name of ["CreateApiKey", "CreatedApiKey", "ApiKeySummary"]) {
      schema(draft, name).properties!["scopes"]!.items!.enum!.push("planted")
    }
  }),
  makeDocumentMutation("an event type more", (draft) => {
    for (const name of ["Delivery", "DeliveryDetail"]) schema(draft, name).properties!["type"]!.enum!.push("planted")
    events(draft).push({ type: "object", properties: { type: { type: "string", enum: ["planted"] } } })
  }),
  makeDocumentMutation("a new optional parameter", (draft) => {
    at(draft, "get").parameters.push({ name: "planted", in: "query", required: false, schema: { type: "string" } })
  }),
  makeDocumentMutation("a new error code of a status that was there", (draft) => {
    const { schema: only } = at(draft, "get", `${topics}/{id}`).responses["404"]!.content![jsonContentType]!
    at(draft, "get", `${topics}/{id}`).responses["404"]!.content![jsonContentType]!.schema = {
      anyOf: [only, { $ref: "#/components/schemas/NotLicensed" }]
    }
  }),
  makeDocumentMutation("a new error code of one topic in a bulk response", (draft) => {
    const { error } = schema(draft, "BulkRefused").properties!
    const alternatives = (error!.oneOf ?? error!.anyOf)!
    alternatives.push({ type: "object", properties: { code: { type: "string", enum: ["planted"] } } })
  }),
  makeDocumentMutation("a new status of an error", (draft) => {
    at(draft).responses["403"] = structuredClone(at(draft, "get", "/partner/v1/personas/{id}").responses["403"]!)
  }),
  makeDocumentMutation("a new header on an answer", (draft) => {
    at(draft).responses["201"]!.headers!["X-Planted"] = {
      description: "Planted.",
      schema: { type: "string" },
      example: ""
    }
  }),
  makeDocumentMutation("a new group of operations with its own errors", (draft) => {
    draft.tags.push({ name: "Planted", description: "Planted." })
    const operation: Operation = {
      ...structuredClone(at(draft) as Operation),
      operationId: "plantThing",
      tags: ["Planted"]
    }
    draft.paths["/partner/v1/planted"] = { post: operation as (typeof draft.paths)[string][string] }
  }),
  makeDocumentMutation("other words, examples and servers", (draft) => {
    at(draft).summary = "Planted"
    answered(draft, "created_at").description = "Planted."
    answered(draft, "created_at").examples = ["2027-01-30T12:00:00.000Z"]
    draft.servers = [{ url: "https://planted.example.org", description: "Planted" }]
  })
]
