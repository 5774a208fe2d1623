/** Tests that transactions on a file leave turns of the event loop to connections and requests that arrive. */
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { makeTemporaryFolder } from "./TemporaryFolder.ts"

/** Runs the transaction while something happens in each turn, and returns how many turns passed before it began. */
const turnsBeforeTransaction = (busyTurns: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    let passed = 0
    const turn = () => {
      for (const end = performance.now() + 0.2; performance.now() < end; );
      passed += 1
      if (passed < busyTurns) next = setImmediate(turn)
    }
    let next = setImmediate(turn)
    // A turn after the end of the test would run in the next test of the process.
    yield* Effect.addFinalizer(() => Effect.sync(() => clearImmediate(next)))
    return yield* sql.withTransaction(Effect.sync(() => passed))
  }).pipe(Effect.scoped)

it.effect("a transaction on a file waits while the event loop is busy, but for at most 32 turns", () =>
  Effect.gen(function* () {
    const filename = join(yield* makeTemporaryFolder, "turns.db")
    const [few, many] = yield* Effect.provide(
      Effect.all([turnsBeforeTransaction(20), turnsBeforeTransaction(1000)]),
      SqliteClient.layer({ filename })
    )
    assert.isAtLeast(few, 19)
    assert.isAtLeast(many, 30)
    assert.isAtMost(many, 34)
  }).pipe(Effect.scoped)
)
