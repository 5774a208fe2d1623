/** What a bulk request may cost where the organization's limits refuse its topics. */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { json } from "../support/Json.ts"

it.effect("a topic beyond the submission limit is refused without being parsed", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.organization({ limits: { topic_submissions_per_hour: 2 } })
    const { text: key } = yield* Seed.key(owner)
    const topics = Array.from({ length: 20 }, (_, index) => ({ content: "short", mark: `topic-${index}` }))
    const parse = vi.spyOn(JSON, "parse")
    const response = yield* call("/partner/v1/topics/bulk", { method: "POST", key, body: { topics } })
    const parsed = parse.mock.calls.map(([text]) => text).filter((text) => text.startsWith('{"content":"short"'))
    parse.mockRestore()
    const { results } = (yield* json(response)).data
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
