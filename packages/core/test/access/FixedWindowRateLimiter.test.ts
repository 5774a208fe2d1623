import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assert } from "vitest"
import { make, type RateWindowLimit } from "../../src/access/FixedWindowRateLimiter.ts"

const hour = (limit: number, name = "a"): RateWindowLimit => ({ name, limit, seconds: 3600 })
const minute = (limit: number, name = "a"): RateWindowLimit => ({ name, limit, seconds: 60 })

describe("fixed windows", () => {
  it("a rate window starts with its first counted call and lasts its full length", () => {
    const { take } = make(10)
    assert.deepStrictEqual(take([hour(2)], 500), {
      admitted: true,
      states: [{ limit: 2, remaining: 1, resetsAt: 3_600_500 }]
    })
    assert.isTrue(take([hour(2)], 3_600_499).admitted)
    assert.deepStrictEqual(take([hour(2)], 3_600_499), {
      admitted: false,
      states: [{ limit: 2, remaining: 0, resetsAt: 3_600_500 }]
    })
    assert.deepStrictEqual(take([hour(2)], 3_600_500), {
      admitted: true,
      states: [{ limit: 2, remaining: 1, resetsAt: 7_200_500 }]
    })
  })

  it("a call that is rejected because one rate window is full is not counted in the call's other windows", () => {
    const { take } = make(10)
    const windows = [hour(10), minute(2)]
    for (const _ of [1, 2]) assert.isTrue(take(windows, 0).admitted)
    for (const _ of [1, 2, 3]) assert.isFalse(take(windows, 0).admitted)
    assert.deepStrictEqual(
      take(windows, 0).states.map(({ remaining }) => remaining),
      [8, 0]
    )
    assert.isFalse(take([hour(10, "b"), minute(2)], 0).admitted)
    assert.strictEqual(take([hour(10, "b")], 0).states[0]?.remaining, 9)
  })

  it("a rejected call does not start a rate window", () => {
    const { take } = make(10)
    assert.isFalse(take([hour(5), minute(0)], 0).admitted)
    assert.strictEqual(take([hour(5)], 1000).states[0]?.resetsAt, 3_601_000)
  })

  it("a changed limit applies to a rate window that has already started", () => {
    const { take } = make(10)
    for (const _ of [1, 2, 3]) take([hour(5)], 0)
    assert.isFalse(take([hour(3)], 0).admitted)
    assert.strictEqual(take([hour(3)], 0).states[0]?.remaining, 0)
    assert.strictEqual(take([hour(9)], 0).states[0]?.remaining, 5)
  })

  it("a rate window restarts when the clock is set back", () => {
    const { take } = make(10)
    take([hour(1)], 10_000_000)
    assert.isTrue(take([hour(1)], 5_000_000).admitted)
    assert.isFalse(take([hour(1)], 5_000_000).admitted)
  })

  it("if the limiter is full, a new rate window replaces the oldest window", () => {
    const { take } = make(2)
    for (const name of ["a", "b", "c"]) assert.isTrue(take([hour(1, name)], 0).admitted)
    assert.deepStrictEqual(
      ["b", "c"].map((name) => take([hour(1, name)], 0).admitted),
      [false, false]
    )
    assert.isTrue(take([hour(1, "a")], 0).admitted)
  })

  it("a rate window never admits more calls than its limit", () =>
    fc.assert(
      fc.property(
        fc.array(fc.record({ wait: fc.nat(90_000), name: fc.constantFrom("a", "b") }), { maxLength: 200 }),
        fc.integer({ min: 1, max: 6 }),
        (calls, limit) => {
          const { take } = make(100)
          const admitted = new Map<string, Array<number>>()
          let now = 0
          for (const { name, wait } of calls) {
            now += wait
            const before = admitted.get(name) ?? []
            const taken = take([minute(limit, name)], now)
            const end = taken.states[0]?.resetsAt ?? 0
            const inWindow = before.filter((at) => at >= end - 60_000).length
            assert.strictEqual(taken.admitted, inWindow < limit)
            if (taken.admitted) {
              admitted.set(name, [...before, now])
              assert.strictEqual(taken.states[0]?.remaining, limit - inWindow - 1)
            }
          }
        }
      )
    ))
})
