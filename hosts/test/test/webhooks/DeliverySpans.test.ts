/** Tests the trace of a delivery attempt. The span has the event, the webhook and the result, but never the URL. */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { readSentEvents, registerWebhook, seedDecliningPartner } from "../support/DeliveryCalls.ts"
import * as RecordedSpans from "../support/RecordedSpans.ts"

const secretly = "https://hooks.example/secret-path?token=hunter2"

it.effect(
  "each delivery attempt has its own span with event, webhook, kind and outcome, and without URL and secret",
  () =>
    Effect.gen(function* () {
      const { spans, tracer } = RecordedSpans.make()
      yield* Effect.gen(function* () {
        const receivers = yield* InMemoryWebhookReceivers
        yield* receivers.answer(() => Effect.succeed({ status: 500, excerpt: "hunter2" }))
        const { declined, key, owner } = yield* seedDecliningPartner
        const hook = yield* registerWebhook(key, ["commentary.failed"], secretly)
        yield* declined("Who goes down this season?")
        yield* hook.failures(1)
        yield* receivers.answer(() => Effect.succeed({ status: 204 }))
        yield* TestClock.adjust("6 seconds")
        yield* hook.failures(0)
        const [first] = yield* readSentEvents
        const attempts = spans.filter(({ name }) => name === "DeliveryWorker.deliver")
        const data = first?.event.data
        const subject = { "topic.id": data.topic_id, "share.id": data.share_id, "organization.id": owner.id }
        assert.deepStrictEqual(
          attempts.map(({ attributes }) => Object.fromEntries(attributes)),
          [
            [1, "http", 500],
            [2, "success", 204]
          ].map(([number, outcome, status]) => ({
            ...subject,
            "webhook.id": hook.id,
            "event.id": first?.event.id,
            "attempt.number": number,
            "attempt.kind": "scheduled",
            "attempt.outcome": outcome,
            "attempt.status": status
          }))
        )
        const all = JSON.stringify(spans.map(({ attributes, name }) => [name, [...attributes]]))
        for (const secret of ["secret-path", "hunter2", hook.secret]) assert.notInclude(all, secret)
      }).pipe(Effect.provide(InMemory.layer), Effect.withTracer(tracer))
    })
)
