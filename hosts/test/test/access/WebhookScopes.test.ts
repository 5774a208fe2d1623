/** Tests the webhook scopes, and the webhook permissions of keys without webhook scopes. */
import { assert, it } from "@effect/vitest"
import type { ApiKeyScope } from "@partner-commentary/core/access/Scope"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { readJson } from "../support/Json.ts"

const rows: ReadonlyArray<readonly [scopes: ReadonlyArray<ApiKeyScope>, reads: boolean, writes: boolean]> = [
  [["webhooks:read"], true, false],
  [["webhooks:write"], false, true],
  [["webhooks:read", "webhooks:write"], true, true],
  // Keys without webhook scopes stand for keys that were created before webhook scopes existed.
  [["topics:read"], true, false],
  [["topics:submit"], false, true],
  // A key with at least one webhook scope has only the webhook permissions of those scopes.
  [["topics:submit", "topics:read", "webhooks:read"], true, false],
  [["topics:submit", "topics:read", "webhooks:write"], false, true]
]

for (const [scopes, reads, writes] of rows) {
  it.effect(
    `a key with ${scopes.join(", ")} ${reads ? "reads" : "does not read"} and ${writes ? "changes" : "does not change"} webhooks`,
    () =>
      Effect.gen(function* () {
        const { text: key } = yield* Seed.issueApiKey(yield* Seed.createOrganization(), { scopes })
        const { call } = yield* TestApi
        const read = yield* call("/partner/v1/webhooks", { key })
        assert.strictEqual(read.status, reads ? 200 : 401)
        const body = { url: "https://example.com/hook", events: ["creator.approved"] }
        const write = yield* call("/partner/v1/webhooks", { method: "POST", key, body })
        assert.strictEqual(write.status, writes ? 201 : 401)
        if (!writes) assert.include((yield* readJson(write)).error.message, "webhooks:write")
      }).pipe(Effect.provide(InMemory.layer))
  )
}
