import { it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import { ApiKeyStore } from "../../src/access/ApiKeyStore.ts"
import type { Principal } from "../../src/access/ApiKeys.ts"
import { ApiCallCounter } from "../../src/usage/ApiCallCounter.ts"
import { type ApiCallCount, UsageStore } from "../../src/usage/UsageStore.ts"

const principal = { key: { id: "k" }, organization: { id: "o" }, environment: "live" } as unknown as Principal
const slow: Principal = { ...principal, organization: { id: "slow" } as Principal["organization"] }

const january = 0
const world = () => {
  const written: Array<ApiCallCount> = []
  const used: Array<{ readonly id: string; readonly at: number }> = []
  /**
   * The effects in `held` delay a write: `before` runs before the data changes, and `after` runs before the write
   * returns.
   */
  const held: { before: Effect.Effect<void>; after: Effect.Effect<void> } = { before: Effect.void, after: Effect.void }
  const addBefore: (calls: ApiCallCount) => Effect.Effect<void> = () => Effect.void
  const state = { written, used, held, addBefore, lost: false, lostUses: false, writes: 0 }
  const store = <A>(change: () => A, isLost: () => boolean = () => state.lost) =>
    Effect.suspend(() => {
      if (isLost()) return Effect.die("the database is gone")
      state.writes += 1
      return Effect.andThen(state.held.before, Effect.andThen(Effect.sync(change), state.held.after))
    })
  const layer = ApiCallCounter.layer.pipe(
    Layer.provide([
      Layer.succeed(UsageStore, {
        ofMonth: () => Effect.die("not asked"),
        addCalls: (calls) =>
          Effect.andThen(
            state.addBefore(calls),
            store(() => written.push(calls))
          )
      }),
      Layer.succeed(ApiKeyStore, {
        markUsed: (uses: ReadonlyArray<{ readonly id: string; readonly at: number }>) =>
          store(
            () => used.push(...uses),
            () => state.lost || state.lostUses
          )
      } as never)
    ])
  )
  return { state, layer }
}

const total = (calls: ReadonlyArray<ApiCallCount>) => calls.reduce((sum, { calls }) => sum + calls, 0)

it.effect(
  "within five seconds, one write persists many API calls, and a second write persists the key's last use",
  () =>
    Effect.gen(function* () {
      const { layer, state } = world()
      yield* Effect.gen(function* () {
        const calls = yield* ApiCallCounter
        for (let call = 0; call < 1000; call++) yield* calls.count(principal)
        assert.strictEqual(state.writes, 0)
        assert.strictEqual(
          calls.unwritten({ organizationId: principal.organization.id, environment: "live" }, "1970-01"),
          1000
        )
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(total(state.written), 1000)
        assert.deepStrictEqual(state.used, [{ id: "k", at: january }])
        assert.strictEqual(state.writes, 2)
        yield* TestClock.adjust("1 day")
        assert.strictEqual(state.writes, 2)
      }).pipe(Effect.provide(layer))
    })
)

it.effect("a locked row of one organization does not delay the writes of other organizations' API calls", () =>
  Effect.gen(function* () {
    const { layer, state } = world()
    const locked = yield* Deferred.make<void>()
    yield* Effect.gen(function* () {
      const calls = yield* ApiCallCounter
      state.addBefore = ({ owner }) =>
        owner.organizationId === slow.organization.id ? Deferred.await(locked) : Effect.void
      yield* calls.count(slow)
      yield* calls.count(principal)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(
        state.written.map(({ owner }) => owner.organizationId),
        [principal.organization.id]
      )
      yield* Deferred.succeed(locked, undefined)
    }).pipe(Effect.provide(layer))
    assert.strictEqual(total(state.written), 2)
  })
)

it.effect("the writes of an organization whose row stays locked occupy only one database connection", () =>
  Effect.gen(function* () {
    const { layer, state } = world()
    const locked = yield* Deferred.make<void>()
    let begun = 0
    yield* Effect.gen(function* () {
      const calls = yield* ApiCallCounter
      state.addBefore = () =>
        Effect.andThen(
          Effect.sync(() => void begun++),
          Deferred.await(locked)
        )
      for (let write = 0; write < 5; write++) {
        yield* calls.count(slow)
        yield* TestClock.adjust("5 seconds")
      }
      const waiting = begun
      yield* Deferred.succeed(locked, undefined)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(waiting, 1)
      assert.strictEqual(total(state.written), 5)
    }).pipe(Effect.provide(layer))
  })
)

it.effect("a clean shutdown persists all counted API calls", () =>
  Effect.gen(function* () {
    const { layer, state } = world()
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(layer, scope)
    yield* Effect.provideContext(
      Effect.flatMap(ApiCallCounter, (calls) => calls.count(principal)),
      context
    )
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(total(state.written), 1)
  })
)

it.effect("if a write of API calls fails, the retry still counts the calls in the month in which they were made", () =>
  Effect.gen(function* () {
    const { layer, state } = world()
    yield* Effect.gen(function* () {
      const calls = yield* ApiCallCounter
      yield* TestClock.setTime(Date.UTC(1970, 0, 31, 23, 59, 50))
      state.lost = true
      yield* calls.count(principal)
      yield* TestClock.adjust("10 seconds")
      state.lost = false
      yield* calls.count(principal)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(
        state.written.map(({ calls, period }) => [period, calls]),
        [
          ["1970-01", 1],
          ["1970-02", 1]
        ]
      )
    }).pipe(Effect.provide(layer))
  })
)

it.effect("a failed write of API calls and last uses is retried until a write succeeds", () =>
  Effect.gen(function* () {
    const { layer, state } = world()
    yield* Effect.gen(function* () {
      const calls = yield* ApiCallCounter
      state.lost = true
      yield* calls.count(principal)
      yield* TestClock.adjust("1 hour")
      state.lost = false
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(total(state.written), 1)
      assert.deepStrictEqual(state.used, [{ id: "k", at: january }])
      yield* TestClock.adjust("1 day")
      assert.strictEqual(state.writes, 2)
    }).pipe(Effect.provide(layer))
  })
)

it.effect("a retried write of a key's last use does not replace a later time", () =>
  Effect.gen(function* () {
    const { layer, state } = world()
    yield* Effect.gen(function* () {
      const calls = yield* ApiCallCounter
      state.lostUses = true
      yield* calls.count(principal)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(total(state.written), 1)
      state.lostUses = false
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(state.used, [{ id: "k", at: january }])

      const failing = yield* Deferred.make<void>()
      state.held.before = Effect.andThen(Deferred.await(failing), Effect.die("the database is gone"))
      yield* calls.count(principal)
      yield* TestClock.adjust("5 seconds")
      yield* calls.count(principal)
      state.held.before = Effect.void
      yield* Deferred.succeed(failing, undefined)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(state.used.slice(1), [{ id: "k", at: january + 15_000 }])
      assert.strictEqual(total(state.written), 3)
    }).pipe(Effect.provide(layer))
  })
)

it.effect("a shutdown during a write neither loses nor duplicates counted API calls", () =>
  Effect.gen(function* () {
    for (const side of ["before", "after"] as const) {
      const { layer, state } = world()
      const scope = yield* Scope.make()
      const { count } = yield* Effect.map(Layer.buildWithScope(layer, scope), Context.get(ApiCallCounter))
      const written = yield* Deferred.make<void>()
      state.held[side] = Deferred.await(written)
      yield* count(principal)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(state.writes, 1)
      yield* count(principal)
      const stop = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.yieldNow
      yield* Deferred.succeed(written, undefined)
      yield* Fiber.join(stop)
      assert.strictEqual(total(state.written), 2, side)
      assert.deepStrictEqual(state.used.at(-1), { id: "k", at: yield* Clock.currentTimeMillis })
    }
  })
)

it.effect("a shutdown that cannot persist the counters logs the number of lost API calls", () =>
  Effect.gen(function* () {
    const said: Array<string> = []
    const listening = Logger.layer([
      Logger.make(({ logLevel, message }) => void (logLevel === "Error" && said.push(String(message))))
    ])
    const { layer, state } = world()
    state.lost = true
    yield* Effect.gen(function* () {
      const calls = yield* ApiCallCounter
      for (let call = 0; call < 3; call++) yield* calls.count(principal)
    }).pipe(Effect.provide(layer), Effect.provide(listening))
    assert.deepStrictEqual(said, ["3 counted calls are lost: they could not be persisted before shutdown"])
  })
)
