/** What the shared rate windows leave behind, and what they ask. */
import { assert, it } from "@effect/vitest"
import { RateWindows } from "@partner-commentary/core/access/RateWindows"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const rows = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly name: string }>`SELECT name FROM rate_windows ORDER BY name`, (found) =>
    found.map(({ name }) => name)
  )
)

it.live("windows that ended more than an hour ago are let go by whoever is called later", () =>
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
    const names = yield* TestClock.withLive(Effect.retry(left, { times: 50, schedule: Schedule.spaced("20 millis") }))
    assert.deepStrictEqual(names, ["b", "c"])
  }).pipe(Effect.provide(TestDatabase.layer), Effect.provide(TestClock.layer()))
)

it.effect("a refusal by a window that was seen full asks the database nothing", () =>
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
