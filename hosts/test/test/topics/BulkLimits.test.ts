/** Tests the cost of a bulk request whose topics are refused by the organization's limits. */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { vi } from "vitest"
import { readJson } from "../support/Json.ts"

it.effect("a topic beyond the submission limit is refused without being parsed", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization({ limits: { topic_submissions_per_hour: 2 } })
    const { text: key } = yield* Seed.issueApiKey(owner)
    const topics = Array.from({ length: 20 }, (_, index) => ({ content: "short", mark: `topic-${index}` }))
    const parse = vi.spyOn(JSON, "parse")
    const response = yield* call("/partner/v1/topics/bulk", { method: "POST", key, body: { topics } })
    const parsed = parse.mock.calls.map(([text]) => text).filter((text) => text.startsWith('{"content":"short"'))
    parse.mockRestore()
    const { results } = (yield* readJson(response)).data
    const refused = results.map((result: { error: { code: string } }) => result.error.code)
    assert.deepStrictEqual(refused, [
      ...Array.from({ length: 2 }, () => "invalid_request"),
      ...Array.from({ length: 18 }, () => "rate_limit_exceeded")
    ])
    assert.deepStrictEqual(
      parsed,
      topics.slice(0, 2).map((topic) => JSON.stringify(topic))
    )
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "bulk responses that contain only refusals are stored under their idempotency keys, up to a daily limit",
  () =>
    Effect.gen(function* () {
      const { call } = yield* TestApi
      const sql = yield* SqlClient.SqlClient
      const many = { requests_per_hour: 10_000, burst_per_minute: 10_000, topic_submissions_per_hour: 10_000 }
      const owner = yield* Seed.createOrganization({ limits: many })
      const { text: key } = yield* Seed.issueApiKey(owner)
      const post = (topics: ReadonlyArray<unknown>, idempotencyKey?: string) =>
        call("/partner/v1/topics/bulk", {
          method: "POST",
          key,
          body: { topics },
          headers: {
            "content-type": "application/json",
            ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
          }
        })
      for (let nth = 0; nth < 200; nth++) assert.strictEqual((yield* post([{}], `key-${nth}`)).status, 200)
      const refused = yield* post([{}], "one-more")
      assert.strictEqual(refused.status, 429)
      assert.isAbove(Number(refused.headers.get("retry-after")), 3600)
      const [stored] = yield* sql<{ readonly count: number }>`SELECT COUNT(*) AS count FROM stored_responses`
      assert.strictEqual(Number(stored?.count), 200)
      // A repeated request gets its stored response. A request without an idempotency key stores no response.
      assert.strictEqual((yield* post([{}], "key-0")).headers.get("idempotency-replayed"), "true")
      assert.strictEqual((yield* post([{}])).status, 200)
    }).pipe(Effect.provide(InMemory.layer))
)
