/** Tests that the deletion of many rows does not block concurrent writers. */
import { assert, it } from "@effect/vitest"
import { Retention } from "@partner-commentary/core/operations/Retention"
import { toIso } from "@partner-commentary/core/shared/Instant"
import { layerMemory } from "@partner-commentary/sqlite/Sqlite"
import { hour, start } from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

it.effect("stored responses are deleted in batches with other writes in between, and a new response stays", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const retention = yield* Retention
    yield* sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2500)
      INSERT INTO stored_responses (id, fingerprint, until_at, status, body) SELECT n, '', ${toIso(start)}, 200, '' FROM numbers`
    const left = Effect.map(
      sql<{ readonly count: number }>`SELECT COUNT(*) AS count FROM stored_responses`,
      ([row]) => row?.count
    )
    const before = { mails: 0, windows: 0, answers: start + hour, events: 0, testTopics: 0 }
    assert.strictEqual((yield* retention.count(before)).answers, 2500)
    assert.strictEqual(yield* left, 2500)
    const purging = yield* Effect.forkChild(retention.purge(before), { startImmediately: true })
    const seen: Array<number | undefined> = []
    while ((yield* left) !== 500) {
      // A transaction waits until no other transaction is open, so the INSERT runs between two batches of the deletion.
      yield* sql.withTransaction(sql`INSERT INTO stored_responses (id, fingerprint, until_at, status, body)
        VALUES ('new', '', ${toIso(start + hour)}, 200, '') ON CONFLICT (id) DO NOTHING`)
      yield* sql`DELETE FROM stored_responses WHERE id = 'new'`
      seen.push(yield* left)
      assert.isUndefined(purging.pollUnsafe())
      yield* TestClock.adjust("50 millis")
    }
    assert.include(seen, 1500)
    yield* sql`INSERT INTO stored_responses (id, fingerprint, until_at, status, body)
      VALUES ('last', '', ${toIso(start + hour)}, 200, '')`
    yield* TestClock.adjust("50 millis")
    assert.deepStrictEqual(yield* Fiber.join(purging), {
      mails: 0,
      windows: 0,
      answers: 2500,
      events: 0,
      testTopics: 0
    })
    assert.strictEqual(yield* left, 1)
  }).pipe(Effect.provide(layerMemory))
)

it.effect("a recovery that ended before the retention limit is deleted, and a later or open recovery stays", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const retention = yield* Retention
    for (const [id, done] of [
      ["open", null],
      ["early", toIso(start)],
      ["late", toIso(start + hour)]
    ] as const) {
      yield* sql`INSERT INTO redeliveries ${sql.insert({
        id,
        webhook_id: "x",
        after_id: "",
        until_id: "",
        includes_pending: 0,
        requested_at: toIso(0),
        last_batch_at: toIso(0),
        done_at: done
      })}`
    }
    yield* retention.purge({ mails: start + 1, windows: 0, answers: 0, events: 0, testTopics: 0 })
    const left = yield* sql<{ readonly id: string }>`SELECT id FROM redeliveries ORDER BY id`
    assert.deepStrictEqual(
      left.map(({ id }) => id),
      ["late", "open"]
    )
  }).pipe(Effect.provide(layerMemory))
)
