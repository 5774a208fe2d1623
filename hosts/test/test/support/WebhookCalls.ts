/** Shorthands for a partner's webhook calls, and the expected format of refusals. */

import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import { type Call, TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { json } from "./Json.ts"

export const url = "https://example.com/webhooks/commentary"
export const events = ["creator.approved", "commentary.failed"]
export const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
const ask = (path: string, call: Call) =>
  Effect.gen(function* () {
    const response = yield* (yield* TestApi).call(`/partner/v1/webhooks${path}`, call)
    return { status: response.status, headers: response.headers, body: yield* json(response) }
  })

export const post = (key: string, body: unknown) => ask("", { method: "POST", key, body })
export const get = (key: string, path = "") => ask(path, { key })
export const patch = (key: string, id: string, body: unknown) => ask(`/${id}`, { method: "PATCH", key, body })
export const remove = (key: string, id: string) => ask(`/${id}`, { method: "DELETE", key })

export const test = (key: string, id: string, call: Call = {}) => ask(`/${id}/test`, { method: "POST", key, ...call })

export const retry = (key: string, id: string, delivery: string, call: Call = {}) =>
  ask(`/${id}/deliveries/${delivery}/retry`, { method: "POST", key, ...call })

export const recover = (key: string, id: string, body: unknown, call: Call = {}) =>
  ask(`/${id}/recover`, { method: "POST", key, body, ...call })

export const aKey = Effect.flatMap(Seed.organization(), (owner) => Effect.map(Seed.key(owner), ({ text }) => text))

/** All problems that the refusal reports. */
export const problems = ({
  body,
  status
}: {
  readonly status: number
  readonly body: Awaited<ReturnType<Response["json"]>>
}) => {
  assert.strictEqual(status, 400)
  assert.strictEqual(body.error.code, "invalid_request")
  assert.deepInclude(body.error.details.errors[0], {
    field: body.error.details.field,
    constraint: body.error.details.constraint
  })
  return body.error.details.errors as ReadonlyArray<{ readonly field: string; readonly constraint: string }>
}
