/**
 * Lists rules that the OpenAPI document states only in prose, because no schema can express these rules. Each rule has
 * a sentence that the served document must contain. The fuzzer requires a matching rule for each refused request that
 * the schemas allow, and for each accepted request that the schemas forbid.
 */
import { isIP } from "node:net"
import type { GeneratedRequest } from "./Requests.ts"

export interface DocumentedRule {
  readonly operation: RegExp
  /** The path of the field in the refusal or in the schema violation. */
  readonly field: RegExp
  readonly sentence: string
  /** Returns whether the rule applies to this value. A rule without the function `when` applies to every value. */
  readonly when?: (value: unknown, sent: GeneratedRequest) => boolean
}

const topics = /^createTopics?$/
const inTopic = (field: string) => new RegExp(`^(topics\\[\\d+\\]\\.)?${field}`)
const trimmed = (value: unknown) => [...String(value).trim()].length
const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const depth = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0
const url = (value: unknown) => URL.parse(String(value))

const textOf = ({ arguments: given }: GeneratedRequest, name: string) =>
  given.find(({ parameter }) => parameter.name === name)?.text

const isNoPeriod = (_: unknown, sent: GeneratedRequest): boolean => {
  const to = Date.parse(textOf(sent, "to") ?? new Date().toISOString())
  const from = Date.parse(textOf(sent, "from") ?? "1970-01-01T00:00:00Z")
  return from >= to || (textOf(sent, "from") !== undefined && to - from > 366 * 86_400_000)
}

const isInvalidPeriod = (value: unknown, { payload }: GeneratedRequest): boolean => {
  const body = payload !== undefined && "value" in payload ? payload.value : undefined
  const until = (body as { readonly until?: unknown } | undefined)?.until
  const since = Date.parse(String(value))
  return since >= Date.parse(String(until ?? new Date().toISOString())) || since < Date.now() - 30 * 86_400_000
}

/** Returns whether a text has no readable character. Hangul fillers count as unreadable. */
const isUnreadable = (value: unknown) =>
  !/[\p{L}\p{N}\p{P}\p{S}]/u.test(String(value).replace(/[\u115f\u1160\u3164\uffa0]/g, ""))

/** The rules by which the service may refuse a request that the schemas allow. */
export const documentedRefusals: ReadonlyArray<DocumentedRule> = [
  {
    operation: topics,
    field: inTopic("content$"),
    sentence: "10 to 500 characters (Unicode code points) after trimming",
    when: (value) => trimmed(value) < 10
  },
  {
    operation: topics,
    field: inTopic("content$"),
    sentence: "It must contain readable characters, and no control characters except tabs and line breaks.",
    when: (value) => isUnreadable(value) || /[^\P{Cc}\t\n\r]/u.test(String(value))
  },
  {
    operation: topics,
    field: inTopic("metadata$"),
    sentence: "At most 16 KiB as JSON, at most 32 levels deep.",
    when: (value) => size(value) > 16 * 1024 || depth(value) > 30
  },
  {
    operation: /^createTopics$/,
    field: /^topics$/,
    sentence: "at most 1000 persona ids in all",
    when: (value) => Array.isArray(value) && value.flatMap((one) => one.persona_ids).length > 1000
  },
  {
    operation: topics,
    field: inTopic("respond_by$"),
    sentence: "1 hour to 14 days ahead",
    when: (value) =>
      !(Date.parse(String(value)) >= Date.now() + 3_599_000 && Date.parse(String(value)) <= Date.now() + 1_209_601_000)
  },
  { operation: topics, field: inTopic("webhook_ids"), sentence: "Each is a webhook of the key's environment." },
  {
    operation: /Webhook$/,
    field: /^url$/,
    sentence: "An `https:` URL of a public server, without user name, password and fragment.",
    when: (value) => url(value)?.protocol !== "https:" || /[@#]/.test(String(value))
  },
  {
    operation: /^(createWebhook|rotateWebhookSecret)$/,
    field: /^secret$/,
    sentence: "`whsec_` and 24 to 64 bytes in base64, or any other 32 to 256 printable ASCII characters",
    when: (value) => String(value).startsWith("whsec_")
  },
  {
    operation: /Webhook$/,
    field: /^secret$/,
    sentence: "Only `POST /webhooks/{id}/rotate-secret` changes the secret"
  },
  {
    operation: /^(create|update)ApiKey$/,
    field: /^name$/,
    sentence: "one line of readable text, without control characters",
    when: (value) => isUnreadable(value) || /[\p{Cc}\u2028\u2029]/u.test(String(value))
  },
  {
    operation: /^(create|update)ApiKey$/,
    field: /^ip_whitelist/,
    sentence: "IPv4 and IPv6 addresses and CIDR ranges",
    when: (value) => isIP(String(value).replace(/\/\d+$/, "")) === 0
  },
  {
    operation: /^createApiKey$/,
    field: /^expires_at$/,
    sentence: "It must be in the future.",
    when: (value) => Date.parse(String(value)) <= Date.now() + 1000
  },
  {
    operation: /^updateApiKey$/,
    field: /^id$/,
    sentence: "Changes the name and the address list of an active key"
  },
  {
    operation: /^updateApiKey$/,
    field: /^(scopes|environment|expires_at)$/,
    sentence: "Scopes, environment and expiry cannot be changed: create a new key instead."
  },
  {
    operation: /^rotateApiKey$/,
    field: /^id$/,
    sentence: "A key that was revoked or rotated, or has expired, cannot be rotated."
  },
  {
    operation: /^advance/,
    field: /^action$/,
    sentence:
      "A step that the current status does not allow gets 400 with the field `action`, and so does any step after the final one."
  },
  {
    operation: /^recoverWebhook$/,
    field: /^since$/,
    sentence: "It must be within the last 30 days, and before `until`.",
    when: isInvalidPeriod
  },
  { operation: /^listTopics$/, field: /^cursor$/, sentence: "The `pagination.next_cursor` of the previous page." },
  {
    operation: /^listTopics$/,
    field: /^offset$/,
    sentence: "not together with `cursor`",
    when: (_, sent) => sent.arguments.some(({ parameter }) => parameter.name === "cursor")
  },
  { operation: /^listTopics$/, field: /^updated_after$/, sentence: "Not together with another filter." },
  { operation: /^listTopics$/, field: /^(external_reference|status)$/, sentence: "Not together with `status`." },
  { operation: /^listEvents$/, field: /^(cursor|after)$/, sentence: "Not together with `cursor`." },
  { operation: /^listEvents$/, field: /^(order|after)$/, sentence: "in the order of `order=asc`, which it implies" },
  { operation: /erformance$/, field: /^(from|to)$/, sentence: "at most 366 days after `from`", when: isNoPeriod },
  {
    operation: /./,
    field: /^Idempotency-Key$/,
    sentence: "with another body it is refused"
  }
]

/** The rules by which the service may accept a request that the schemas forbid. */
export const documentedAcceptances: ReadonlyArray<DocumentedRule> = [
  { operation: /./, field: /^X-Request-Id$/, sentence: "The service ignores an id with other characters than these." },
  {
    operation: topics,
    field: inTopic("content$"),
    sentence: "10 to 500 characters (Unicode code points) after trimming",
    when: (value) => trimmed(value) >= 10 && trimmed(value) <= 500
  }
]

export const findDocumentedRule = (
  statements: ReadonlyArray<DocumentedRule>,
  sent: GeneratedRequest,
  field: string,
  value: unknown
): DocumentedRule | undefined =>
  statements.find(
    (one) =>
      one.operation.test(sent.operation.name) &&
      one.field.test(field) &&
      (one.when === undefined || one.when(value, sent))
  )

/**
 * Limits that cannot be raised and apply to every organization in addition to its rate limits. `message` matches the
 * message of the 429 response.
 */
export const documentedLimits = [
  {
    operation: /^(create|rotate)ApiKey$/,
    message: /new keys a day/,
    sentence: "at most 100 can be created and rotated in a day"
  },
  {
    operation: /^createTopics$/,
    message: /bulk responses with only refusals a day/,
    sentence: "With an `Idempotency-Key`, at most 200 responses a day can contain only refusals."
  }
]

export const isDocumentedLimit = ({ operation }: GeneratedRequest, answer: string): boolean =>
  documentedLimits.some((limit) => limit.operation.test(operation.name) && limit.message.test(answer))
