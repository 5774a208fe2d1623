import { describe, it } from "@effect/vitest"
import { assert } from "vitest"
import type { RateWindowLimit } from "../../src/access/FixedWindowRateLimiter.ts"
import { make } from "../../src/access/FullRateWindowCache.ts"

const hour = (limit: number, name = "a"): RateWindowLimit => ({ name, limit, seconds: 3600 })
const minute = (limit: number, name = "a"): RateWindowLimit => ({ name, limit, seconds: 60 })
const makeUsage = (limit: number, remaining: number, resetsAt: number) => ({ limit, remaining, resetsAt })

describe("the cache of full windows", () => {
  it("the cache of full windows rejects calls until the full window ends, and reports the states of all windows", () => {
    const full = make(10)
    full.note([hour(10), minute(2)], [makeUsage(10, 8, 3_600_000), makeUsage(2, 0, 60_000)])
    assert.deepStrictEqual(full.refuse([hour(10), minute(2)], 59_999), {
      admitted: false,
      states: [makeUsage(10, 8, 3_600_000), makeUsage(2, 0, 60_000)]
    })
    assert.isUndefined(full.refuse([hour(10), minute(2)], 60_000))
  })

  it("the cache of full windows lets a call pass if a window is not cached, is not full, or has a raised limit", () => {
    const full = make(10)
    full.note([hour(10), minute(2)], [makeUsage(10, 8, 3_600_000), makeUsage(2, 0, 60_000)])
    assert.isUndefined(full.refuse([minute(2), hour(5, "b")], 1))
    assert.isUndefined(full.refuse([hour(10)], 1))
    assert.isUndefined(full.refuse([minute(3)], 1))
    assert.isDefined(full.refuse([minute(1)], 1))
  })

  it("the cache of full windows rejects no call after the clock was set back", () => {
    const full = make(10)
    full.note([minute(2)], [makeUsage(2, 0, 10_060_000)])
    assert.isUndefined(full.refuse([minute(2)], 5_000_000))
  })

  it("the cache of full windows removes its oldest entry when the cache has reached its capacity", () => {
    const full = make(2)
    for (const name of ["a", "b", "c"]) full.note([minute(1, name)], [makeUsage(1, 0, 60_000)])
    assert.deepStrictEqual(
      ["a", "b", "c"].map((name) => full.refuse([minute(1, name)], 1) !== undefined),
      [false, true, true]
    )
  })
})
