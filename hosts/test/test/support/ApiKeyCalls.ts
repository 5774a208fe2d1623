/** Calls the five API-key operations as a dashboard does. */
import { assert } from "@effect/vitest"
import { LocalTokens } from "@partner-commentary/identity/LocalIdentity"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { readJson } from "./Json.ts"

export const validApiKeyBody = { name: "Backend", scopes: ["topics:read", "personas:read"] }

export const makeApiKeyCalls = Effect.fnUntraced(function* (owner: { readonly id: string }) {
  const { call } = yield* TestApi
  const { issue } = yield* LocalTokens
  const ask = (method: string, path: string, body?: unknown) =>
    Effect.flatMap(issue({ organization: owner.id, subject: "ada", expiresIn: Duration.minutes(5) }), (token) =>
      call(`/partner/v1/api-keys${path}`, { method, token, ...(body === undefined ? {} : { body }) })
    )
  const answered = (status: number, method: string, path: string, body?: unknown) =>
    Effect.gen(function* () {
      const response = yield* ask(method, path, body)
      const answer = yield* readJson(response)
      assert.strictEqual(response.status, status, JSON.stringify(answer))
      return answer
    })
  return {
    ask,
    answered,
    create: (changes: object = {}) =>
      Effect.map(answered(201, "POST", "", { ...validApiKeyBody, ...changes }), ({ data }) => data),
    list: Effect.map(answered(200, "GET", ""), ({ data }) => data),
    find: (id: string) => Effect.map(answered(200, "GET", `/${id}`), ({ data }) => data),
    rotate: (id: string, body?: object) => Effect.map(answered(201, "POST", `/${id}/rotate`, body), ({ data }) => data),
    revoke: (id: string) => Effect.map(answered(200, "DELETE", `/${id}`), ({ data }) => data),
    /** Returns `{field, constraint}` of a 400 response, or the code of another refusal. */
    refused: (method: string, path: string, body?: unknown) =>
      Effect.gen(function* () {
        const response = yield* ask(method, path, body)
        const { error } = yield* readJson(response)
        return response.status === 400
          ? error.details.errors.map((problem: { field: string; constraint: string }) => problem)
          : [response.status, error?.code]
      })
  }
})

/** Sends a request with this key, and returns `200` or the code of the refusal. */
export const sendRequestWithKey = Effect.fnUntraced(function* (key: string, headers: Record<string, string> = {}) {
  const { call } = yield* TestApi
  const response = yield* call("/partner/v1/topics", { key, headers })
  return response.status === 200 ? 200 : (yield* readJson(response)).error.code
})
