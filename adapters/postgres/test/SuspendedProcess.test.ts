/**
 * Tests that the server disconnects a suspended process that holds locks, so that other processes can continue. When
 * the suspended process resumes, it changes nothing.
 */
import { assert, it } from "@effect/vitest"
import { IdempotencyStore } from "@partner-commentary/core/idempotency/IdempotencyStore"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import { hour, makeSubmission, start } from "@partner-commentary/testkit/support/Fixtures"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"

const impatient = Layer.unwrap(
  Effect.map(TestDatabase.used, (url) => Postgres.layerWithoutMigration({ url, idleInTransactionTimeout: "1 second" }))
)

it.live("a process that is suspended within the transaction of an idempotent request stores nothing", () =>
  Effect.gen(function* () {
    const store = yield* IdempotencyStore
    const topics = yield* TopicStore
    const sql = yield* SqlClient.SqlClient
    const { run } = yield* Transaction
    const claimed = yield* Deferred.make<void>()
    const woken = yield* Deferred.make<void>()
    const claim = store.claim({ id: "id", fingerprint: "print", at: start, until: start + hour })
    const kept = { status: 201, location: null, body: "{}", encrypted: false }
    const change = (pause: Effect.Effect<void>) =>
      run(
        Effect.gen(function* () {
          if ((yield* claim) !== "claimed") return "running"
          yield* pause
          yield* Effect.orDie(topics.submit(makeSubmission()))
          yield* store.keep("id", kept)
          return "kept"
        })
      )
    const sleeper = yield* Effect.forkChild(
      Effect.exit(change(Effect.andThen(Deferred.succeed(claimed, undefined), Deferred.await(woken))))
    )
    yield* Deferred.await(claimed)
    assert.strictEqual(yield* change(Effect.void), "running")
    const asleep = sql`SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle in transaction'`
    yield* Effect.repeat(Effect.andThen(Effect.sleep("20 millis"), asleep), { until: ({ length }) => length === 0 })
    assert.strictEqual(yield* change(Effect.void), "kept")
    yield* Deferred.succeed(woken, undefined)
    assert.isTrue(Exit.isFailure(yield* Fiber.join(sleeper)))
    assert.deepStrictEqual(yield* store.find("id", start), Option.some({ ...kept, fingerprint: "print" }))
    assert.lengthOf(yield* sql`SELECT id FROM topics`, 1)
  }).pipe(Effect.provide(impatient))
)
