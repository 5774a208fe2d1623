/** Defines the headers that are not part of a schema and that all requests or responses of one kind have. */
import type { HeaderObject, Parameter, ReferenceObject } from "./Document.ts"

const requestId = "5f1c2a90-8d0e-4c4b-9a55-0f3f6f0d7e21"
const count = { type: "integer", minimum: 0 }

export const headerDefinitions = {
  RequestId: {
    description: "The id of the request in logs: the caller's `X-Request-Id` if it is valid, otherwise a generated id.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9_.:-]{1,128}$" },
    example: requestId
  },
  RateLimitLimit: {
    description: "The limit of the hourly window that has the fewest requests left.",
    schema: count,
    example: 1000
  },
  RateLimitRemaining: { description: "The number of requests left in that window.", schema: count, example: 997 },
  RateLimitReset: {
    description: "When that window ends, in seconds since 1970.",
    schema: count,
    example: 1_769_778_000
  },
  RateLimitPolicy: {
    description:
      "Every window that counts the request: its name, its quota `q` and its length `w` in seconds, as in a draft standard of the IETF.",
    schema: { type: "string" },
    example: '"requests_per_hour";q=1000;w=3600, "burst_per_minute";q=100;w=60'
  },
  RateLimit: {
    description: "The same windows: `r` requests are left in the window, and it ends in `t` seconds.",
    schema: { type: "string" },
    example: '"requests_per_hour";r=997;t=3540, "burst_per_minute";r=99;t=12'
  },
  RetryAfter: {
    description: "The number of seconds to wait before a retry.",
    required: true,
    schema: { type: "integer", minimum: 0 },
    example: 42
  },
  ETag: {
    description:
      "Identifies the current state of the response. Send it as `If-None-Match`: the response is 304 until something changes.",
    required: true,
    schema: { type: "string" },
    example: 'W/"3.mk6z1p0g.a1b2c3d4"'
  },
  PreferenceApplied: {
    description: "`wait` if the service applied `Prefer: wait`, even if the response came at once. Omitted otherwise.",
    schema: { type: "string", enum: ["wait"] },
    example: "wait"
  },
  Location: {
    description: "The path of the created resource.",
    required: true,
    schema: { type: "string", format: "uri-reference" },
    example: "/partner/v1/topics/019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
  },
  IdempotencyReplayed: {
    description: "`true` if this is the stored first response to the same `Idempotency-Key`. Omitted otherwise.",
    schema: { type: "string", enum: ["true"] },
    example: "true"
  }
} satisfies Record<string, HeaderObject>

export const headerParameters = {
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      "Your own id for this request, which the response returns. The service ignores an id with other characters than these.",
    schema: { type: "string", pattern: "^[A-Za-z0-9_.:-]{1,128}$", examples: [requestId] }
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    required: false,
    description:
      "`wait=N` (RFC 7240): the service responds as soon as something changes, or after N seconds, at most 30. It counts as one request, however long it waits. An organization can have 1000 waiting requests in each process of the service. A host that cannot wait responds at once, without `Preference-Applied`. Other preferences are ignored.",
    schema: { type: "string", maxLength: 4096, examples: ["wait=30"] }
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    required: false,
    description:
      "The `ETag` of the response that you have, or several, separated by commas. A value of more than 4096 characters is ignored. If nothing has changed, the response is 304 without a body, which counts as a tenth of a request in every rate window.",
    schema: { type: "string", maxLength: 4096, examples: ['W/"3.mk6z1p0g.a1b2c3d4"'] }
  }
} satisfies Record<string, Parameter>

export const makeHeaderReference = (name: keyof typeof headerDefinitions): ReferenceObject => ({
  $ref: `#/components/headers/${name}`
})

export const makeParameterReference = (name: keyof typeof headerParameters): ReferenceObject => ({
  $ref: `#/components/parameters/${name}`
})

/** Returns the headers of a response with the given status code. */
export const listResponseHeaders = (
  status: string,
  replays: boolean,
  isConditional = false,
  canWait = false
): Readonly<Record<string, ReferenceObject>> => ({
  "X-Request-Id": makeHeaderReference("RequestId"),
  "X-RateLimit-Limit": makeHeaderReference("RateLimitLimit"),
  "X-RateLimit-Remaining": makeHeaderReference("RateLimitRemaining"),
  "X-RateLimit-Reset": makeHeaderReference("RateLimitReset"),
  "RateLimit-Policy": makeHeaderReference("RateLimitPolicy"),
  RateLimit: makeHeaderReference("RateLimit"),
  ...(status === "429" || status === "503" ? { "Retry-After": makeHeaderReference("RetryAfter") } : {}),
  ...(isConditional && Number(status) < 400 ? { ETag: makeHeaderReference("ETag") } : {}),
  ...(canWait && Number(status) < 400 ? { "Preference-Applied": makeHeaderReference("PreferenceApplied") } : {}),
  ...(status === "201" ? { Location: makeHeaderReference("Location") } : {}),
  ...(replays && status.startsWith("2") ? { "Idempotency-Replayed": makeHeaderReference("IdempotencyReplayed") } : {})
})
