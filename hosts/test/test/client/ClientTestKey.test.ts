/** Tests a complete integration with a test key and the official client, as a partner's engineer would write it. */
import { assert, it } from "@effect/vitest"
import type { ResponseInfo } from "@partner-commentary/client"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { makeClient, runClientCall } from "../support/ClientCalls.ts"

const waits = "7e570000-0000-4000-8000-000000000005"

it.effect("a partner's test can advance a simulated creator, approve the commentary and read metrics", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-02-01T12:00:00.000Z"))
    const owner = yield* Seed.createOrganization()
    const { client } = yield* makeClient((yield* Seed.issueApiKey(owner, { environment: "test" })).text)
    const personas = yield* runClientCall(() => client.personas.list())
    assert.include(
      personas.map(({ id }) => id),
      waits
    )

    const topic = yield* runClientCall(() =>
      client.topics.create({ content: "Who wins the derby?", persona_ids: [waits] })
    )
    const share = topic.results[0]?.share_id ?? assert.fail("what was sent has no share_id")
    const waiting = yield* Effect.forkChild(
      runClientCall(() => client.topics.waitFor(topic.topic_id, { intervalMs: 5 }))
    )
    const responded = yield* runClientCall(() => client.test.advance(share, { action: "respond" }))
    assert.deepStrictEqual([responded.status, responded.actions], ["opinion_injected", ["generate", "fail"]])
    yield* runClientCall(() => client.test.advance(share))
    assert.isTrue((yield* runClientCall(() => client.test.advance(share))).has_commentary)

    const { commentaries } = yield* Fiber.join(waiting)
    const commentary = commentaries[0]?.commentary ?? assert.fail("nothing came of it")
    assert.isNull(commentary.partner_approved_at)
    const accepted = yield* runClientCall(() => client.topics.approveCommentary(topic.topic_id, commentary.id))
    assert.strictEqual(accepted.partner_approved_at, "2026-02-01T12:00:00.000Z")
    assert.strictEqual(accepted.content, commentary.content)

    const until = "2026-02-02T00:00:00Z"
    const report = yield* runClientCall(() =>
      client.metrics.performance({ from: new Date("2026-01-31T00:00:00Z"), to: until })
    )
    assert.deepStrictEqual([report.overall.counts.sent, report.overall.counts.approved], [1, 1])
    assert.strictEqual(report.personas[0]?.persona_id, waits)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("every response contains the rate limit, and a rate-limit error contains the time to wait", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.now())
    const owner = yield* Seed.createOrganization({ limits: { burst_per_minute: 2 } })
    const { client } = yield* makeClient((yield* Seed.issueApiKey(owner)).text, { maxRetries: 0 })
    const seen: Array<ResponseInfo> = []
    const onResponse = (response: ResponseInfo) => seen.push(response)
    yield* runClientCall(() => client.usage.get({ onResponse }))
    const usage = yield* runClientCall(() => client.usage.get({ onResponse }))
    assert.strictEqual(usage.quotas.topics_per_month, 1000)
    assert.deepStrictEqual(
      seen.map(({ rateLimit }) => [rateLimit?.limit, rateLimit?.remaining]),
      [
        [1000, 999],
        [1000, 998]
      ]
    )
    assert.isAbove(seen[0]?.rateLimit?.resetsInMs ?? 0, 3_500_000)
    const refused = yield* runClientCall(() => client.usage.get().catch((error: unknown) => error))
    assert.include(refused, { code: "rate_limit_exceeded", status: 429 })
    assert.include((refused as { details: object }).details, { retry_after: 60, limit: 2, remaining: 0 })
  }).pipe(Effect.provide(InMemory.layer))
)
