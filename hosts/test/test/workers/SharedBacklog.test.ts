/** Tests that two workers divide one backlog, instead of processing the same list in the same order. */
import { assert, it } from "@effect/vitest"
import { DueAssignments } from "@partner-commentary/core/operations/DueAssignments"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"

const idle = InMemory.layerWithoutWorkers()

/**
 * The number of assignments. With fewer assignments, the result would depend on the workers' random start positions.
 */
const count = 400

/** The maximum number of topics in a bulk request. */
const bulk = 100

it.effect(
  "two workers that share a backlog load only a few assignments that the other worker has already processed",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
      const owner = yield* Seed.createOrganization()
      const persona = yield* Seed.createPersona(owner)
      const { text: key } = yield* Seed.issueApiKey(owner)
      const { call } = yield* TestApi
      for (let first = 0; first < count; first += bulk) {
        const topics = Array.from({ length: bulk }, (_, index) => ({
          content: `Who is number ${first + index} this season?`,
          persona_ids: [persona.id]
        }))
        const answer = yield* call("/partner/v1/topics/bulk", { method: "POST", key, body: { topics } })
        assert.strictEqual(answer.status, 200)
      }
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE assignments SET due_at = '2026-03-01T08:00:00.000Z', respond_by = '2026-03-01T08:00:00.000Z'`

      const dueAssignments = yield* DueAssignments
      const woken = { woke: 0, vain: 0 }
      const counted = Layer.succeed(
        DueAssignments,
        DueAssignments.of({
          ...dueAssignments,
          wake: (id, mayBegin) =>
            Effect.tap(dueAssignments.wake(id, mayBegin), ({ woke }) =>
              Effect.sync(() => {
                woken[woke ? "woke" : "vain"]++
              })
            )
        })
      )
      const worker = Layer.provide(TestApi.workers, counted)
      yield* Layer.build(Layer.fresh(worker))
      yield* Layer.build(Layer.fresh(worker))
      yield* eventually(
        "all of them woken",
        Effect.sync(() => woken.woke === count)
      )
      assert.isBelow(woken.vain, count / 2)
    }).pipe(Effect.scoped, Effect.provide(idle))
)
