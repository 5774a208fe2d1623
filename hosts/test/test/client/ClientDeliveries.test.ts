/** Tests deliveries, retries and recoveries through the official client, against the real service. */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { catchApiError, makeClient, runClientCall } from "../support/ClientCalls.ts"
import { seedDecliningPartner } from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"

const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"

it.effect("the client lists deliveries, reads a delivery, retries a delivery and starts a recovery", () =>
  Effect.gen(function* () {
    const receivers = yield* InMemoryWebhookReceivers
    yield* receivers.answer(() => Effect.succeed({ status: 410, excerpt: "gone" }))
    const { declined, key } = yield* seedDecliningPartner
    const { webhooks } = (yield* makeClient(key)).client
    const { id } = yield* runClientCall(() =>
      webhooks.create({ url: "https://example.com/hook", events: ["commentary.failed"] })
    )
    yield* declined("Who goes down this season?")
    yield* eventually(
      "the webhook is disabled",
      Effect.map(
        runClientCall(() => webhooks.get(id)),
        ({ status }) => status === "disabled"
      )
    )
    for (const content of ["And who goes up instead?", "Who is third?"]) yield* declined(content)
    const page = yield* runClientCall(() => webhooks.deliveries(id, { limit: 2, status: "held" }))
    assert.deepStrictEqual([page.data.length, page.pagination.limit], [2, 2])
    const all = yield* runClientCall(async () => {
      const ids: Array<string> = []
      for await (const delivery of webhooks.deliveries(id, { limit: 1 })) ids.push(delivery.id)
      return ids
    })
    assert.strictEqual(all.length, 3)
    const [newest = "", , oldest = ""] = all
    const seen = yield* runClientCall(() => webhooks.delivery(id, oldest))
    assert.deepInclude(seen, { id: oldest, event_id: `evt_${oldest}`, status: "held", type: "commentary.failed" })
    assert.deepInclude(seen.attempts[0], { kind: "scheduled", response_code: 410, response_excerpt: "gone" })
    assert.strictEqual((yield* runClientCall(() => webhooks.retry(id, newest))).status, "held")
    const since = new Date(Date.parse(seen.created_at)).toISOString()
    const dry = yield* runClientCall(() => webhooks.recover(id, { since, dry_run: true }))
    assert.deepInclude(dry, { since, dry_run: true, count: 3, failed: 0, held: 3 })
    assert.deepInclude(yield* runClientCall(() => webhooks.recover(id, { since })), { dry_run: false, count: 3 })
    yield* receivers.answer(() => Effect.succeed({}))
    yield* runClientCall(() => webhooks.update(id, { status: "active" }))
    yield* eventually(
      "all are delivered",
      Effect.map(
        runClientCall(() => webhooks.deliveries(id, { status: "delivered" })),
        ({ data }) => data.length === 3
      )
    )
    yield* catchApiError("not_found", () => webhooks.delivery(id, unknown))
    yield* catchApiError("not_found", () => webhooks.retry(id, unknown))
    const refused = yield* catchApiError("invalid_request", () =>
      webhooks.recover(id, { since: "2020-01-01T00:00:00Z" })
    )
    assert.strictEqual(refused.details.field, "since")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the client iterates over all events that follow a given cursor", () =>
  Effect.gen(function* () {
    const { declined, key } = yield* seedDecliningPartner
    const { events } = (yield* makeClient(key)).client
    const start = yield* runClientCall(() => events.list({ order: "asc" }))
    for (const content of ["Who goes down this season?", "And who goes up instead?", "Who is third?"]) {
      yield* declined(content)
      yield* TestClock.adjust("1 second")
    }
    const newest = (yield* runClientCall(() => events.list())).data.map(({ id }) => id)
    const after = yield* runClientCall(async () => {
      const ids: Array<string> = []
      for await (const { id } of events.list({ after: start.pagination.next_cursor ?? "", limit: 1 })) ids.push(id)
      return ids
    })
    assert.deepStrictEqual(after, newest.toReversed())
  }).pipe(Effect.provide(InMemory.layer))
)
