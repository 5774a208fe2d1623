/** Calls every method of the stores of webhooks, events and deliveries, so that tests can inspect their statements. */
import { assert } from "@effect/vitest"
import type { EventId, WebhookId } from "@partner-commentary/core/shared/Ids"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { DeliveryLog } from "@partner-commentary/core/webhook/DeliveryLog"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { EventLog } from "@partner-commentary/core/webhook/EventLog"
import { RedeliveryStore } from "@partner-commentary/core/webhook/RedeliveryStore"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import * as Creator from "@partner-commentary/testkit/support/Creator"
import { day, makeSubmission, makeWebhook, start } from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"

export const callEveryWebhookStoreMethod = Effect.gen(function* () {
  const store = yield* WebhookStore
  const one = makeWebhook()
  const audit = { action: "webhook.created", details: {} }
  yield* store.insert({ webhook: one, audit, notice: null }, "sealed", 20)
  yield* store.find(one.owner, one.id)
  yield* store.list(one.owner)
  yield* store.secrets(one.id)
  for (const behind of [one.id, null]) yield* store.encryptedSecrets(behind, 10)
  yield* store.replaceSecret(one.id, { from: "sealed", to: "sealed anew" })
  for (const formerUntil of [start, null])
    yield* store.rotateSecret(one.owner, one.id, { encrypted: "new", at: start, formerUntil }, audit)
  for (const owner of [one.owner, null]) {
    yield* store.modify(owner, one.id, (present) => ({ webhook: { ...present }, audit, notice: null }))
  }
  yield* everyDelivery
  yield* store.remove(one.owner, one.id, audit)
})

const everyRedelivery = Effect.fnUntraced(function* (webhookId: WebhookId) {
  const store = yield* RedeliveryStore
  const audit = { action: "webhook.recovered", subject: webhookId, organizationId: null, details: {} }
  const span = { since: start, until: start + day }
  const sql = yield* SqlClient.SqlClient
  const failed = sql`UPDATE deliveries SET state = 'failed', due_at = NULL, settled_at = 'x' WHERE webhook_id = ${webhookId}`
  yield* store.open({ id: "x", webhookId, ...span, held: true, askedAt: start }, audit)
  yield* failed
  while (Option.isSome(yield* store.step(start, 1, (receiver) => ({ ...receiver }))))
    yield* store.count(webhookId, "pending", span)
  const [queued] = yield* sql<{
    readonly event_id: EventId
  }>`SELECT event_id FROM deliveries WHERE webhook_id = ${webhookId}`
  const eventId = queued?.event_id ?? assert.fail("nothing was queued")
  yield* store.queue(
    { webhookId, eventId, since: start },
    start,
    () => ({ dueAt: start, resumeAt: null }),
    audit,
    (receiver) => receiver
  )
})

const everyDelivery = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const given = makeSubmission()
  const one = makeWebhook({ owner: given.topic })
  const audit = { action: "webhook.created", details: {} }
  yield* (yield* WebhookStore).insert({ webhook: one, audit, notice: null }, "sealed", 20)
  const { sent } = yield* (yield* TopicStore).submit(given)
  for (const share of sent) yield* Creator.decline(share)
  const events = yield* EventLog
  for (const behind of [null, "019c0e5f-03aa-7001-8000-94d0b7f3a6e2" as EventId]) {
    for (const type of [null, "creator.approved"] as const) {
      for (const forward of [false, true]) {
        yield* events.page({ owner: one.owner, type, since: start, forward, behind, limit: 10, maxBytes: 1000 })
      }
    }
  }
  const log = yield* DeliveryLog
  for (const behind of [null, "019c0e5f-03aa-7001-8000-94d0b7f3a6e2" as EventId]) {
    for (const state of [null, "pending"] as const) {
      const seen = yield* log.page({ webhookId: one.id, state, since: start, behind, limit: 10 }, 10, start)
      for (const { eventId } of seen) yield* log.find(one.id, eventId, start, 10, start)
    }
  }
  yield* log.receiver(one.owner, one.id)
  yield* log.waiting([one.id])
  yield* everyRedelivery(one.id)
  yield* store.dueWebhooks(start + day, 5, 10)
  yield* store.nextDue
  yield* store.postpone(one.id, start)
  const take = store.claim(one.id, start + day, start + 2 * day, {
    allow: () => ({ limit: 5, probe: false }),
    taken: (present) => ({ ...present })
  })
  for (const claimed of yield* take) yield* store.release(claimed, start)
  for (const claimed of yield* take) {
    const attempt = {
      at: start,
      duration: 1,
      status: 500,
      failure: null,
      reason: null,
      excerpt: null,
      retryAfter: null
    }
    for (const next of [
      { state: "pending", attempts: 1, dueAt: start },
      { state: "failed", attempts: 1 },
      { state: "delivered" }
    ] as const) {
      yield* store.settle({ ...claimed, ticket: claimed.ticket + next.state.length }, attempt, start, (receiver) => {
        return { receiver, next, notice: null, audit: null }
      })
    }
  }
})
