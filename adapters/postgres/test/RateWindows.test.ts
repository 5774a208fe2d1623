/** Tests the table rows and the statements of the rate windows that all nodes share. */
import { assert, it } from "@effect/vitest"
import { RateWindows } from "@partner-commentary/core/access/RateWindows"
import * as SharedRateWindows from "@partner-commentary/sql/access/RateWindows"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const rows = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly name: string }>`SELECT name FROM rate_windows ORDER BY name`, (found) =>
    found.map(({ name }) => name)
  )
)

it.live("a call in any rate window deletes all rate windows that ended more than an hour ago", () =>
  Effect.gen(function* () {
    const windows = yield* RateWindows
    const take = (name: string) => windows.take([{ name, limit: 5, seconds: 60 }])
    yield* TestClock.setTime(1_000_000_000_000)
    yield* Effect.forEach(["a", "b"], take)
    yield* TestClock.adjust("30 minutes")
    yield* take("b")
    yield* TestClock.adjust("32 minutes")
    yield* take("c")
    const left = Effect.filterOrFail(rows, (names) => !names.includes("a"))
    const names = yield* TestClock.withLive(Effect.retry(left, { times: 1000, schedule: Schedule.spaced("20 millis") }))
    assert.deepStrictEqual(names, ["b", "c"])
  }).pipe(Effect.provide(TestDatabase.layer), Effect.provide(TestClock.layer()))
)

it.effect(
  "if a node knows that a rate window is full, the node rejects calls in that window without an SQL statement",
  () =>
    Effect.gen(function* () {
      const windows = yield* RateWindows
      const sql = yield* SqlClient.SqlClient
      const take = windows.take([{ name: "a", limit: 1, seconds: 60 }])
      yield* take
      assert.isFalse((yield* take).admitted)
      yield* sql`DROP TABLE rate_windows`
      assert.isFalse((yield* take).admitted)
    }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("if the database rejects one call of a batch, only that call fails, and the other calls count once", () =>
  Effect.gen(function* () {
    const { take } = yield* RateWindows
    const windows = Array.from({ length: 20 }, (_, place) => {
      return { name: place % 2 === 0 ? "a" : "b", limit: 50, seconds: place === 7 ? 0.5 : 60 }
    })
    const exits = yield* Effect.forEach(windows, (window) => Effect.exit(take([window])), { concurrency: "unbounded" })
    assert.deepStrictEqual(
      exits.flatMap((exit, place) => (Exit.isFailure(exit) ? [place] : [])),
      [7]
    )
    assert.strictEqual((yield* take([{ name: "a", limit: 50, seconds: 60 }])).states[0]?.remaining, 39)
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("four nodes that count calls concurrently admit exactly the allowed number, without a deadlock", () =>
  Effect.gen(function* () {
    const node = Effect.map(Layer.build(Layer.fresh(SharedRateWindows.layer)), (context) =>
      Context.get(context, RateWindows)
    )
    const nodes = yield* Effect.all([node, node, node, node])
    const one = { name: "one", limit: 60, seconds: 60 }
    const other = { name: "other", limit: 60, seconds: 60 }
    const both = { name: "both", limit: 90, seconds: 3600 }
    // Each node sends its requests one after another, so that batches do not merge the requests into a few statements.
    const rounds = Array.from({ length: 50 }, (_, round) => round)
    const taken = yield* Effect.forEach(
      nodes,
      ({ take }, index) =>
        Effect.forEach(rounds, (round) => take((round + index) % 2 === 0 ? [one, both] : [both, other])),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(
      taken.flat().filter(({ admitted }) => admitted),
      90
    )
    const sql = yield* SqlClient.SqlClient
    const counted = yield* sql<{ readonly used: number }>`SELECT used FROM rate_windows ORDER BY used DESC`
    const [all = 0, more = 0, fewer = 0] = counted.map(({ used }) => used)
    assert.deepStrictEqual([all, more + fewer, more <= 60], [90, 90, true])
  }).pipe(Effect.provide(TestDatabase.layer))
)
