/**
 * Tests that the pool replaces connections that were lost while the process used none of them, for example while Lambda
 * had frozen the process.
 */
import { assert, describe, it } from "@effect/vitest"
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import {
  openPostgresRecordingProxy,
  type PostgresRecordingProxy
} from "@partner-commentary/test/postgres/PostgresProxy"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import { afterEach, vi } from "vitest"

const poolSize = 5

afterEach(() => {
  vi.useRealTimers()
})

const pass = (milliseconds: number) =>
  Effect.sync(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds })
  })

const onIdlePool = <A, E>(
  use: (sql: PostgresClient.PostgresClient, proxy: PostgresRecordingProxy) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const url = yield* TestDatabase.empty
    const proxy = yield* Effect.acquireRelease(
      Effect.promise(() => openPostgresRecordingProxy(Redacted.value(url))),
      ({ close }) => Effect.promise(close)
    )
    const sql = yield* PostgresClient.make({ url: Redacted.make(proxy.url), poolSize })
    const all = yield* Deferred.make<void>()
    let here = 0
    const together = Effect.suspend(() =>
      ++here === poolSize ? Deferred.succeed(all, undefined) : Deferred.await(all)
    )
    const transaction = sql.withTransaction(Effect.andThen(sql`SELECT 1`, together))
    yield* Effect.all(
      Array.from({ length: poolSize }, () => transaction),
      { concurrency: poolSize }
    )
    assert.strictEqual(proxy.open(), poolSize)
    return yield* use(sql, proxy)
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

const statementsOf = ({ roundTrips }: PostgresRecordingProxy) => roundTrips.flat()

describe("lost connections", () => {
  it.live("after idle time, statements and transactions succeed although all connections were reset meanwhile", () =>
    onIdlePool((sql, proxy) =>
      Effect.gen(function* () {
        proxy.forget()
        yield* pass(10_000)
        assert.lengthOf(yield* sql`SELECT 2`, 1)
        proxy.forget()
        yield* pass(10_000)
        assert.lengthOf(yield* sql.withTransaction(sql`SELECT 3`), 1)
      })
    )
  )

  it.live("after idle time, silent connections delay the next statement for only two seconds", () =>
    onIdlePool((sql, proxy) =>
      Effect.gen(function* () {
        proxy.freeze()
        yield* pass(10_000)
        const from = performance.now()
        yield* sql`SELECT 2`
        assert.isBelow(performance.now() - from, 10_000)
        yield* sql.withTransaction(sql`SELECT 3`)
      })
    )
  )

  it.live("after idle time, silent connections delay the next transaction for only two seconds", () =>
    onIdlePool((sql, proxy) =>
      Effect.gen(function* () {
        proxy.freeze()
        yield* pass(10_000)
        const from = performance.now()
        yield* Effect.all([sql.withTransaction(sql`SELECT 2`), sql`SELECT 3`], { concurrency: 2 })
        assert.isBelow(performance.now() - from, 10_000)
      })
    )
  )

  it.live("if a connection is reset during a statement, the statement fails and only this statement", () =>
    onIdlePool((sql, proxy) =>
      Effect.gen(function* () {
        proxy.forget()
        assert.isTrue(Exit.isFailure(yield* Effect.exit(sql`SELECT 'lost'`)))
        for (let each = 0; each < poolSize; each++) assert.lengthOf(yield* sql`SELECT 'kept'`, 1)
        assert.notInclude(statementsOf(proxy), "SELECT 'lost'")
      })
    )
  )

  it.live("connections that are in use need no check", () =>
    onIdlePool((sql, proxy) =>
      Effect.gen(function* () {
        const before = proxy.roundTrips.length
        for (let each = 0; each < 2 * poolSize; each++) yield* sql`SELECT 4`
        assert.strictEqual(proxy.roundTrips.length - before, 2 * poolSize)
        yield* pass(10_000)
        yield* sql`SELECT 4`
        assert.strictEqual(proxy.roundTrips.length - before, 2 * poolSize + 2)
        assert.strictEqual(proxy.open(), poolSize)
      })
    )
  )
})
