import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import { ApiKeyStore } from "../../src/access/ApiKeyStore.ts"
import type { Principal } from "../../src/access/ApiKeys.ts"
import { ApiCalls } from "../../src/usage/ApiCalls.ts"
import { type Calls, UsageStore } from "../../src/usage/UsageStore.ts"

const principal = { key: { id: "k" }, organization: { id: "o" }, environment: "live" } as unknown as Principal

const january = 0
const world = () => {
  const written: Array<Calls> = []
  const used: Array<{ readonly id: string; readonly at: number }> = []
  const state = { written, used, lost: false, writes: 0 }
  const store = <A>(change: () => A) =>
    Effect.suspend(() => {
      if (state.lost) return Effect.die("the database is gone")
      state.writes += 1
      return Effect.as(Effect.sync(change), undefined)
    })
  const layer = ApiCalls.layer.pipe(
    Layer.provide([
      Layer.succeed(UsageStore, {
        ofMonth: () => Effect.die("not asked"),
        addCalls: (calls) => store(() => written.push(...calls))
      }),
      Layer.succeed(ApiKeyStore, {
        markUsed: (uses: ReadonlyArray<{ readonly id: string; readonly at: number }>) => store(() => used.push(...uses))
      } as never)
    ])
  )
  return { state, layer }
}

const total = (calls: ReadonlyArray<Calls>) => calls.reduce((sum, { calls }) => sum + calls, 0)

it.effect("many calls are one write within five seconds, and the key's last use is noted", () =>
  Effect.gen(function* () {
    const { layer, state } = world()
    yield* Effect.gen(function* () {
      const calls = yield* ApiCalls
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

it.effect("a clean stop loses none", () =>
  Effect.gen(function* () {
    const { layer, state } = world()
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(layer, scope)
    yield* Effect.provideContext(
      Effect.flatMap(ApiCalls, (calls) => calls.count(principal)),
      context
    )
    yield* Scope.close(scope, Exit.void)
    assert.strictEqual(total(state.written), 1)
  })
)

it.effect("what cannot be written stays counted, in the month in which it was made", () =>
  Effect.gen(function* () {
    const { layer, state } = world()
    yield* Effect.gen(function* () {
      const calls = yield* ApiCalls
      state.lost = true
      yield* calls.count(principal)
      yield* TestClock.adjust("5 seconds")
      yield* TestClock.setTime(Date.UTC(1970, 1, 1))
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
