/** Calls the webhook endpoints of the API as a partner, and checks the format of their error responses. */

import { assert } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi, type TestApiCall } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { readJson } from "./Json.ts"

export const exampleWebhookUrl = "https://example.com/webhooks/commentary"
export const exampleWebhookEvents = ["creator.approved", "commentary.failed"]
export const unknownId = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
const ask = (path: string, call: TestApiCall) =>
  Effect.gen(function* () {
    const response = yield* (yield* TestApi).call(`/partner/v1/webhooks${path}`, call)
    return { status: response.status, headers: response.headers, body: yield* readJson(response) }
  })

export const createWebhook = (key: string, body: unknown) => ask("", { method: "POST", key, body })
export const getWebhook = (key: string, path = "") => ask(path, { key })
export const patchWebhook = (key: string, id: string, body: unknown) => ask(`/${id}`, { method: "PATCH", key, body })
export const removeWebhook = (key: string, id: string) => ask(`/${id}`, { method: "DELETE", key })

export const requestWebhookTest = (key: string, id: string, call: TestApiCall = {}) =>
  ask(`/${id}/test`, { method: "POST", key, ...call })

export const retryDelivery = (key: string, id: string, delivery: string, call: TestApiCall = {}) =>
  ask(`/${id}/deliveries/${delivery}/retry`, { method: "POST", key, ...call })

export const requestDeliveryRecovery = (key: string, id: string, body: unknown, call: TestApiCall = {}) =>
  ask(`/${id}/recover`, { method: "POST", key, body, ...call })

export const seedApiKey = Effect.flatMap(Seed.createOrganization(), (owner) =>
  Effect.map(Seed.issueApiKey(owner), ({ text }) => text)
)

/** Returns all problems that the refusal reports. */
export const readReportedProblems = ({
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
