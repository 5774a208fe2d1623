/** Tests that secrets are encrypted in responses that are stored for idempotent replay. */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi, type TestApiCall } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { validApiKeyBody } from "../support/ApiKeyCalls.ts"
import { readJson } from "../support/Json.ts"
import { exampleWebhookEvents, exampleWebhookUrl } from "../support/WebhookCalls.ts"

it.effect(
  "a replayed response contains the new key, rotated key or webhook secret again, and the database stores these secrets encrypted",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { call } = yield* TestApi
      const owner = yield* Seed.createOrganization()
      const { text: key } = yield* Seed.issueApiKey(owner)
      const token = yield* Seed.issueDashboardToken(owner)
      const twice = Effect.fnUntraced(function* (path: string, init: TestApiCall) {
        const post = call(`/partner/v1${path}`, { method: "POST", ...init, headers: { "idempotency-key": "a" } })
        const [first, again] = [yield* post, yield* post]
        assert.deepStrictEqual([first.status, again.headers.get("idempotency-replayed")], [201, "true"])
        const { data } = yield* readJson(first)
        assert.deepStrictEqual((yield* readJson(again)).data, data)
        return data
      })
      const created = yield* twice("/api-keys", { token, body: validApiKeyBody })
      const rotated = yield* twice(`/api-keys/${created.id}/rotate`, { token })
      const registered = yield* twice("/webhooks", {
        key,
        body: { url: exampleWebhookUrl, events: exampleWebhookEvents }
      })
      const kept = yield* sql<{
        readonly is_encrypted: number
        readonly body: string
      }>`SELECT is_encrypted, body FROM stored_responses`
      assert.deepStrictEqual(
        kept.map(({ is_encrypted }) => is_encrypted),
        [1, 1, 1]
      )
      const all = JSON.stringify(kept)
      for (const secret of [created.full_key, rotated.full_key, registered.secret]) assert.notInclude(all, secret)
      // No part of a secret or of its field name is readable in the database.
      assert.notMatch(all, /pk_live_|whsec_|full_key|secret/)
    }).pipe(Effect.provide(InMemory.layer))
)
