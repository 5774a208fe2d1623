/**
 * Generates code that calls each operation once, with the smallest valid request, through a generated client. Paths and
 * bodies are expressions that refer to the responses of earlier calls by operation name.
 */

interface Call {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly parameters?: string
  readonly query?: string
  readonly body?: string
  /** The client repeats the call until the expression `until` is true for the response. */
  readonly until?: string
  /**
   * True if the response is a stream of events. From a stream of events, the generated code reads only the first event.
   */
  readonly isStream?: boolean
}

const topic = "id: createTopic.data.topic_id"
const webhook = "id: createWebhook.data.id"
const delivery = `${webhook}, delivery_id: listDeliveries.data[0]!.id`
const key = "id: createApiKey.data.id"

const calls: ReadonlyArray<Call> = [
  { operation: "getMe", method: "GET", path: "/me" },
  { operation: "listPersonas", method: "GET", path: "/personas" },
  { operation: "getPersona", method: "GET", path: "/personas/{id}", parameters: "id: listPersonas.data[0]!.id" },
  {
    operation: "createWebhook",
    method: "POST",
    path: "/webhooks",
    body: `{ url: environment["RECEIVER"]!, events: ["creator.approved"] }`
  },
  { operation: "testWebhook", method: "POST", path: "/webhooks/{id}/test", parameters: webhook },
  { operation: "listWebhooks", method: "GET", path: "/webhooks" },
  { operation: "getWebhook", method: "GET", path: "/webhooks/{id}", parameters: webhook },
  {
    operation: "rotateWebhookSecret",
    method: "POST",
    path: "/webhooks/{id}/rotate-secret",
    parameters: webhook,
    body: "{}"
  },
  { operation: "updateWebhook", method: "PATCH", path: "/webhooks/{id}", parameters: webhook, body: "{}" },
  {
    operation: "createTopic",
    method: "POST",
    path: "/topics",
    body: `{
      content: "Who wins the derby on Sunday?",
      persona_ids: [listPersonas.data[0]!.id, listPersonas.data[4]!.id],
      external_reference: "derby",
      metadata: { desk: "sport", deep: [1, { two: null }] }
    }`
  },
  {
    operation: "createTopics",
    method: "POST",
    path: "/topics/bulk",
    body: `{ topics: [{ content: "Who wins the cup?", persona_ids: [listPersonas.data[0]!.id] }] }`
  },
  { operation: "listTopics", method: "GET", path: "/topics" },
  { operation: "getTopic", method: "GET", path: "/topics/{id}", parameters: topic },
  {
    operation: "advanceTestAssignment",
    method: "POST",
    path: "/test/assignments/{share_id}/advance",
    parameters: "share_id: createTopic.data.results[1]!.share_id!"
  },
  { operation: "getTopicStatus", method: "GET", path: "/topics/{id}/status", parameters: topic },
  {
    operation: "getTopicCommentaries",
    method: "GET",
    path: "/topics/{id}/commentaries",
    parameters: topic,
    until: "data.commentaries.length > 0"
  },
  {
    operation: "approveCommentary",
    method: "POST",
    path: "/topics/{id}/commentaries/{commentary_id}/approve",
    parameters: `${topic}, commentary_id: getTopicCommentaries.data.commentaries[0]!.commentary_id`
  },
  { operation: "cancelTopic", method: "POST", path: "/topics/{id}/cancel", parameters: topic },
  { operation: "getTopicByReference", method: "GET", path: "/topics/by-reference/{ref}", parameters: `ref: "derby"` },
  {
    operation: "listDeliveries",
    method: "GET",
    path: "/webhooks/{id}/deliveries",
    parameters: webhook,
    query: `status: "delivered"`,
    until: "data.length > 0"
  },
  { operation: "getDelivery", method: "GET", path: "/webhooks/{id}/deliveries/{delivery_id}", parameters: delivery },
  {
    operation: "retryDelivery",
    method: "POST",
    path: "/webhooks/{id}/deliveries/{delivery_id}/retry",
    parameters: delivery
  },
  {
    operation: "recoverWebhook",
    method: "POST",
    path: "/webhooks/{id}/recover",
    parameters: webhook,
    body: "{ since: createTopic.data.created_at }"
  },
  { operation: "listEvents", method: "GET", path: "/events" },
  { operation: "streamEvents", method: "GET", path: "/events/stream", isStream: true },
  { operation: "deleteWebhook", method: "DELETE", path: "/webhooks/{id}", parameters: webhook },
  { operation: "getUsage", method: "GET", path: "/usage" },
  { operation: "getPerformance", method: "GET", path: "/metrics/performance" },
  {
    operation: "createApiKey",
    method: "POST",
    path: "/api-keys",
    body: `{ name: "Backend", scopes: ["topics:read"] }`
  },
  { operation: "listApiKeys", method: "GET", path: "/api-keys" },
  { operation: "getApiKey", method: "GET", path: "/api-keys/{id}", parameters: key },
  { operation: "updateApiKey", method: "PATCH", path: "/api-keys/{id}", parameters: key, body: "{}" },
  { operation: "rotateApiKey", method: "POST", path: "/api-keys/{id}/rotate", parameters: key },
  { operation: "revokeApiKey", method: "DELETE", path: "/api-keys/{id}", parameters: key }
]

/** The name, method and path of each operation that the generated code calls. */
export const calledOperations: ReadonlyArray<string> = calls.map(
  ({ method, operation, path }) => `${operation} ${method} /partner/v1${path}`
)

const common = `
declare const process: { readonly env: Readonly<Record<string, string | undefined>> }
const environment = process.env

interface Answer<Data> { readonly data?: Data; readonly error?: unknown; readonly response?: Response }

const ok = async <Data>(ask: () => Promise<Answer<Data>>, holds: (data: NonNullable<Data>) => boolean = () => true) => {
  for (;;) {
    const { data, error, response } = await ask()
    if (data === undefined || data === null) throw new Error(\`\${response?.url}: \${JSON.stringify(error)}\`)
    if (holds(data)) return data
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}
`

/** Checks the generated types: metadata needs no cast, and the discriminating property narrows a union. */
const reads = `
const desk: unknown = getTopicStatus.data.metadata["desk"]
if (desk !== "sport") throw new Error("metadata did not come back")
const [created] = createTopics.data.results
if (created?.status !== "created") throw new Error("refused: " + created?.error.code)
created.topic.topic_id satisfies string
for (const event of listEvents.data) {
  if (event.type === "creator.approved") event.data.commentary.content satisfies string
  if (event.type === "commentary.failed") event.data.reason satisfies string
}
`

const told = (each: (call: Call) => string, stream: string): string =>
  calls
    .map((call) => {
      if (call.isStream === true) return stream
      const holds = call.until === undefined ? "" : `, ({ data }) => ${call.until}`
      return `const ${call.operation} = await ok(() => ${each(call)}${holds})\n`
    })
    .join("")

const streamForOpenapiFetch = `
const streamed = await partner.GET("/partner/v1/events/stream", { parseAs: "stream" })
const reader = streamed.data!.getReader()
const part = new TextDecoder().decode((await reader.read()).value)
if (!part.includes("event: creator.approved\\ndata: {")) throw new Error("no event in " + part)
await reader.cancel()
`

const streamForHeyApi = `
const leaves = new AbortController()
const { stream } = await Partner.streamEvents({ signal: leaves.signal })
for await (const event of stream) {
  if (event.type !== "creator.approved") continue
  event.data.commentary.content satisfies string
  break
}
// The generated client leaves the connection open.
leaves.abort()
`

/** Generates code for openapi-fetch, with the types of openapi-typescript in `schema.d.ts`. */
export const renderOpenapiFetchCalls = `import createClient from "openapi-fetch"
import type { paths } from "./schema.js"
${common}
const baseUrl = environment["API_ROOT"]!
const partner = createClient<paths>({ baseUrl, headers: { "X-Api-Key": environment["API_KEY"]! } })
const dashboard = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${environment["TOKEN"]}\` } })

${told(({ body, method, parameters, path, query }) => {
  const parts = [
    ...(parameters === undefined ? [] : [`path: { ${parameters} }`]),
    ...(query === undefined ? [] : [`query: { ${query} }`])
  ]
  const options = [
    ...(parts.length === 0 ? [] : [`params: { ${parts.join(", ")} }`]),
    ...(body === undefined ? [] : [`body: ${body}`])
  ]
  const client = path.startsWith("/api-keys") ? "dashboard" : "partner"
  return `${client}.${method}("/partner/v1${path}"${options.length === 0 ? "" : `, { ${options.join(", ")} }`})`
}, streamForOpenapiFetch)}${reads}`

/** Generates code for the functions that @hey-api/openapi-ts generates in `client/`. */
export const renderHeyApiCalls = `import { client } from "./client/client.gen"
import * as Partner from "./client/sdk.gen"
${common}
client.setConfig({
  baseUrl: environment["API_ROOT"]!,
  auth: ({ scheme }) => environment[scheme === "bearer" ? "TOKEN" : "API_KEY"]
})

${told(({ body, operation, parameters, query }) => {
  const options = [
    ...(parameters === undefined ? [] : [`path: { ${parameters} }`]),
    ...(query === undefined ? [] : [`query: { ${query} }`]),
    ...(body === undefined ? [] : [`body: ${body}`])
  ]
  return `Partner.${operation}(${options.length === 0 ? "" : `{ ${options.join(", ")} }`})`
}, streamForHeyApi)}${reads}`
