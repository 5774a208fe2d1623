/**
 * Tests that the outermost transaction runs again from the start after a conflict, and that the transactions of several
 * organizations take turns. Databases with several concurrent writers report conflicts.
 */
import { assert, describe, it } from "@effect/vitest"
import { CurrentFairShare, DefaultScheduler } from "@partner-commentary/core/shared/FairShare"
import { runAfterCommit, Transaction } from "@partner-commentary/core/shared/Transaction"
import { transact } from "@partner-commentary/sql/database/Transaction"
import { layerMemory } from "@partner-commentary/sqlite/Sqlite"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import * as SqlClient from "effect/sql/SqlClient"
import { DeadlockError, SqlError } from "effect/sql/SqlError"

const conflict = new SqlError({
  reason: new DeadlockError({ cause: "somebody else", message: "lost", operation: "execute" })
})

/** Returns a change whose first `times` runs fail with a conflict. */
const conflicting = (times: number) => {
  let runs = 0
  return Effect.suspend(() => (++runs <= times ? Effect.fail(conflict) : Effect.succeed(runs)))
}

describe("Transactions with conflicts", () => {
  it.effect("a store retries a change at most five times", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual(yield* transact(sql, conflicting(5)), 6)
      assert.strictEqual((yield* Effect.exit(transact(sql, conflicting(6))))._tag, "Failure")
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect(
    "after a conflict, the outermost transaction runs again, and the rolled-back attempt runs no afterCommit effects",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { run } = yield* Transaction
        const inner = conflicting(2)
        let outer = 0
        let after = 0
        const count = runAfterCommit(
          Effect.sync(() => {
            after++
          })
        )
        const made = yield* run(
          Effect.suspend(() => {
            outer++
            return Effect.andThen(count, transact(sql, inner))
          })
        )
        assert.deepStrictEqual({ made, outer, after }, { made: 3, outer: 3, after: 1 })
      }).pipe(Effect.provide(layerMemory))
  )

  it.effect("a statement is retried even if its caller has turned the conflict into a defect", () =>
    Effect.gen(function* () {
      const { run } = yield* Transaction
      assert.strictEqual(yield* run(Effect.orDie(conflicting(1))), 2)
    }).pipe(Effect.provide(layerMemory))
  )
})

describe("Transactions of several organizations", () => {
  it.effect("organizations take turns, even if one organization starts many transactions", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const order: Array<string> = []
      const one = (share: string) =>
        transact(
          sql,
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => order.push(share))
          )
        ).pipe(Effect.provideService(CurrentFairShare, { owner: share, isFrequent: false }))
      yield* Effect.forEach([..."aaaaaabc"], one, { concurrency: "unbounded", discard: true })
      assert.deepStrictEqual(order.slice(0, 4).toSorted(), ["a", "a", "b", "c"])
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect(
    "a running transaction uses the scheduler of the process and not the fair scheduler of its organization",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const process = yield* Scheduler.Scheduler
        const turns = new Scheduler.MixedScheduler("async")
        const seen = yield* transact(sql, Effect.service(Scheduler.Scheduler)).pipe(
          Effect.provideService(Scheduler.Scheduler, turns),
          Effect.provideService(DefaultScheduler, process)
        )
        assert.strictEqual(seen, process)
      }).pipe(Effect.provide(layerMemory))
  )
})
