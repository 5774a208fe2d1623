/** Who gets the room there is: where it is scarce each webhook gets one, and nobody takes it all. */
import { assert, it } from "@effect/vitest"
import { Courier } from "@partner-commentary/core/webhook/Courier"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { seeded, webhookOf } from "./DeliveryCalls.ts"
import { patch } from "./WebhookCalls.ts"

const idle = TestApi.layerMemory.pipe(
  Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) }))
)

it.effect("where room is scarce each webhook gets one, and else as many as it may have", () =>
  Effect.gen(function* () {
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* Layer.build(TestApi.workers)
        const { declined, key } = yield* seeded
        for (let count = 0; count < 3; count++) {
          yield* patch(key, (yield* webhookOf(key, ["commentary.failed"])).id, { status: "paused" })
        }
        for (let count = 0; count < 7; count++) yield* declined(`Who is number ${count} this season?`)
      })
    )
    yield* (yield* SqlClient.SqlClient)`UPDATE webhooks SET status = 'active'`
    const courier = yield* Courier
    const shares = Effect.fnUntraced(function* (free: number, isScarce: boolean) {
      const each = Map.groupBy(yield* courier.take(free, isScarce), ({ lane }) => lane.webhookId)
      return [...each.values()].map(({ length }) => length)
    })
    assert.deepStrictEqual(yield* shares(2, true), [1, 1])
    assert.deepStrictEqual(yield* shares(3, true), [1, 1, 1])
    assert.deepStrictEqual((yield* shares(1000, false)).toSorted(), [3, 3, 4])
    assert.deepStrictEqual(yield* shares(1000, false), [])
  }).pipe(Effect.provide(idle))
)
