/** Tests the log line about a disabled webhook. */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { registerWebhook, seedDecliningPartner } from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"

it.effect("disabling a webhook is logged once as a warning with its owner and the reason, and without its URL", () => {
  const logged: Array<Readonly<Record<string, unknown>>> = []
  const disabled = () => logged.filter(({ message }) => message === "A webhook was disabled")
  return Effect.gen(function* () {
    const { declined, key, owner, mails } = yield* seedDecliningPartner
    const hook = yield* registerWebhook(key, ["commentary.failed"])
    yield* (yield* InMemoryWebhookReceivers).answer(() => Effect.succeed({ status: 500 }))
    yield* declined("Who is first this season?")
    yield* hook.failures(1)
    assert.deepStrictEqual(disabled(), [])
    yield* (yield* InMemoryWebhookReceivers).answer(() => Effect.succeed({ status: 410 }))
    yield* declined("Who is second this season?")
    yield* hook.failures(2)
    // The contact's next mail waits until five minutes after the mail about the new webhook.
    yield* TestClock.adjust("5 minutes")
    yield* mails("A webhook was disabled")
    const line = yield* eventually(
      "a line in the log",
      Effect.sync(() => disabled()[0])
    )
    assert.lengthOf(disabled(), 1)
    assert.strictEqual(line["level"], "WARN")
    const { since, ...told } = line["annotations"] as Readonly<Record<string, unknown>>
    assert.deepInclude(told, {
      webhook: hook.id,
      organization: owner.id,
      environment: "live",
      failures: 2,
      failure: "http",
      reason: "The receiver answered with status 410, which is not a success.",
      status: 410,
      mend: "when its receiver answers again: activate it (webhook enable, or pc.webhooks.update), or the partner does"
    })
    assert.match(String(since), /^2026-03-01T09:00:00/)
    assert.notInclude(JSON.stringify(line), "https:")
  }).pipe(
    Effect.provide(InMemory.layer),
    Effect.provide(
      Logger.layer([
        Logger.map(Logger.formatStructured, (entry) => void logged.push(entry as unknown as (typeof logged)[number]))
      ])
    )
  )
})
