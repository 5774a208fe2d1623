/** Request and response headers that apply to all operations of one kind and are not part of a schema. */
import type { Header, Parameter, Reference } from "./Document.ts"

const requestId = "5f1c2a90-8d0e-4c4b-9a55-0f3f6f0d7e21"
const count = { type: "integer", minimum: 0 }

export const headers = {
  RequestId: {
    description: "Names this answer in logs: the caller's `X-Request-Id`, if it sent a sane one, else one of ours.",
    required: true,
    schema: { type: "string", pattern: "^[A-Za-z0-9_.:-]{1,128}$" },
    example: requestId
  },
  RateLimitLimit: {
    description: "Most requests in the hourly window that has the fewest left.",
    schema: count,
    example: 1000
  },
  RateLimitRemaining: { description: "Requests left in that window.", schema: count, example: 997 },
  RateLimitReset: {
    description: "When that window ends, in seconds since 1970.",
    schema: count,
    example: 1_769_778_000
  },
  RateLimitPolicy: {
    description:
      "Every window that counts the request: its name, its quota `q` and its length `w` in seconds. Draft standard of the IETF.",
    schema: { type: "string" },
    example: '"requests_per_hour";q=1000;w=3600, "burst_per_minute";q=100;w=60'
  },
  RateLimit: {
    description: "The same windows: `r` requests are left in each, and it ends in `t` seconds.",
    schema: { type: "string" },
    example: '"requests_per_hour";r=997;t=3540, "burst_per_minute";r=99;t=12'
  },
  RetryAfter: {
    description: "Whole seconds to wait before trying again.",
    required: true,
    schema: { type: "integer", minimum: 0 },
    example: 42
  },
  ETag: {
    description:
      "Names the present state of the answer. Send it as `If-None-Match`: the answer is 304 while nothing changed.",
    required: true,
    schema: { type: "string" },
    example: 'W/"3.mk6z1p0g.a1b2c3d4"'
  },
  PreferenceApplied: {
    description: "`wait` when the request waited, or would have. Left out otherwise.",
    schema: { type: "string", enum: ["wait"] },
    example: "wait"
  },
  Location: {
    description: "The path of what was created.",
    required: true,
    schema: { type: "string", format: "uri-reference" },
    example: "/partner/v1/topics/019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
  },
  IdempotencyReplayed: {
    description: "`true` when this is the first answer to the same `Idempotency-Key` again. Left out otherwise.",
    schema: { type: "string", enum: ["true"] },
    example: "true"
  }
} satisfies Record<string, Header>

export const parameters = {
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      "Your own name for this request, to find it again: it comes back on the answer. Anything else than these characters is ignored.",
    schema: { type: "string", pattern: "^[A-Za-z0-9_.:-]{1,128}$", examples: [requestId] }
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    required: false,
    description:
      "`wait=N` (RFC 7240): the answer comes as soon as something changed, or after N seconds, at most 30. It counts as one request, however long it waits. An organization may have 1000 waiting requests in each process of the service. A host that cannot wait answers at once, without `Preference-Applied`. Other preferences are ignored.",
    schema: { type: "string", maxLength: 4096, examples: ["wait=30"] }
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    required: false,
    description:
      "The `ETag` of the answer that you have, or several, separated by commas; more than 4096 characters are ignored. If it is still true, the answer is 304 without a body, which counts as a tenth of a request in every rate window.",
    schema: { type: "string", maxLength: 4096, examples: ['W/"3.mk6z1p0g.a1b2c3d4"'] }
  }
} satisfies Record<string, Parameter>

export const header = (name: keyof typeof headers): Reference => ({ $ref: `#/components/headers/${name}` })

export const parameter = (name: keyof typeof parameters): Reference => ({ $ref: `#/components/parameters/${name}` })

/** Returns the headers of a response with this status. */
export const headersOf = (
  status: string,
  replays: boolean,
  isConditional = false,
  canWait = false
): Readonly<Record<string, Reference>> => ({
  "X-Request-Id": header("RequestId"),
  "X-RateLimit-Limit": header("RateLimitLimit"),
  "X-RateLimit-Remaining": header("RateLimitRemaining"),
  "X-RateLimit-Reset": header("RateLimitReset"),
  "RateLimit-Policy": header("RateLimitPolicy"),
  RateLimit: header("RateLimit"),
  ...(status === "429" || status === "503" ? { "Retry-After": header("RetryAfter") } : {}),
  ...(isConditional && Number(status) < 400 ? { ETag: header("ETag") } : {}),
  ...(canWait && Number(status) < 400 ? { "Preference-Applied": header("PreferenceApplied") } : {}),
  ...(status === "201" ? { Location: header("Location") } : {}),
  ...(replays && status.startsWith("2") ? { "Idempotency-Replayed": header("IdempotencyReplayed") } : {})
})
