/**
 * Tests stored event types that only a newer version of the service knows. During a rolling upgrade, requests to a
 * process of the older version must not fail.
 */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import {
  makeDeliveriesApiReader,
  readWebhookRequests,
  registerWebhook,
  seedDecliningPartner
} from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"
import { getJson } from "../support/Requests.ts"
import { getWebhook, patchWebhook, retryDelivery } from "../support/WebhookCalls.ts"

it.effect(
  "a webhook keeps an unknown event type that a newer version stored, but its view does not show this type",
  () =>
    Effect.gen(function* () {
      const { key } = yield* seedDecliningPartner
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* registerWebhook(key, ["commentary.failed"])
      const stored = JSON.stringify(["commentary.failed", "topic.reopened"])
      yield* sql`UPDATE webhooks SET events = ${stored} WHERE id = ${id}`
      for (const { body, status } of [
        yield* getWebhook(key, `/${id}`),
        yield* patchWebhook(key, id, { status: "paused" })
      ]) {
        assert.deepStrictEqual([status, body.data.events], [200, ["commentary.failed"]])
      }
      const { body } = yield* getWebhook(key)
      assert.lengthOf(body.data, 1)
      assert.deepStrictEqual(yield* sql`SELECT events FROM webhooks WHERE id = ${id}`, [{ events: stored }])
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("an event of an unknown type is delivered, but lists omit the event", () =>
  Effect.gen(function* () {
    const { declined, key } = yield* seedDecliningPartner
    const sql = yield* SqlClient.SqlClient
    const { id } = yield* registerWebhook(key, ["commentary.failed", "topic.completed"])
    const deliveries = makeDeliveriesApiReader(key, id)
    yield* declined("Who goes down this season?")
    yield* deliveries.delivered(2)
    const [hidden, known] = yield* deliveries.list()
    yield* sql`UPDATE events SET type = 'topic.reopened' WHERE id = ${hidden.id}`
    yield* sql`UPDATE event_positions SET type = 'topic.reopened' WHERE event_id = ${hidden.id}`
    yield* sql`UPDATE deliveries SET state = 'pending', due_at = '2026-03-01T09:00:00.000Z', settled_at = NULL
      WHERE event_id = ${hidden.id}`

    assert.deepStrictEqual(yield* deliveries.list(), [known])
    const first = (yield* deliveries.page("?limit=1")).body
    assert.deepStrictEqual(first.data, [])
    assert.deepStrictEqual(yield* deliveries.list(`?limit=1&cursor=${first.pagination.next_cursor}`), [known])
    assert.strictEqual((yield* getWebhook(key, `/${id}/deliveries/${hidden.id}`)).status, 404)
    assert.strictEqual((yield* getWebhook(key, `/${id}/deliveries/${known.id}`)).status, 200)
    const listed = (yield* getJson(key, "/events?order=asc")).data
    assert.deepStrictEqual(
      listed.map((event: { readonly id: string }) => event.id),
      [known.event_id]
    )
    // A retry request signals the worker to query for due deliveries.
    yield* retryDelivery(key, id, known.id)
    yield* eventually(
      "the unknown event",
      Effect.map(
        readWebhookRequests,
        (all) => all.filter(({ headers }) => headers["webhook-id"] === hidden.event_id).length >= 2
      )
    )
  }).pipe(Effect.provide(InMemory.layer))
)
