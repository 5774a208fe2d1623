import { assert, it } from "vitest"
import * as UnchangedCredit from "../../src/access/UnchangedCredit.ts"

const window = { name: "key", limit: 100, seconds: 60 }
const state = { limit: 100, remaining: 99, resetsAt: 60_000 }

it("nine tenths of the requests without a body are not counted", () => {
  const credit = UnchangedCredit.make(10)
  let counted = 0
  for (let number = 0; number < 1000; number++) {
    if (credit.spend([window], 0) === undefined) {
      counted++
      credit.note([window], [state])
    }
    credit.earn([window])
  }
  assert.isAtLeast(counted, 100)
  assert.isAtMost(counted, 103)
})

it("credit is not spent in a later window, for another limit, or after the clock was set back", () => {
  const credit = UnchangedCredit.make(10)
  credit.note([window], [state])
  credit.earn([window])
  credit.earn([window])
  assert.isUndefined(credit.spend([window], 60_000))
  assert.isUndefined(credit.spend([window], -1))
  assert.isUndefined(credit.spend([{ ...window, limit: 50 }], 0))
  assert.deepStrictEqual(credit.spend([window], 0), [state])
})

it("concurrent requests save at most two requests, and a full cache removes the oldest caller", () => {
  const credit = UnchangedCredit.make(1)
  credit.note([window], [state])
  for (let number = 0; number < 100; number++) credit.earn([window])
  assert.deepStrictEqual(
    [credit.spend([window], 0), credit.spend([window], 0), credit.spend([window], 0)],
    [[state], [state], undefined]
  )
  for (let number = 0; number < 3; number++) credit.earn([window])
  credit.note([{ ...window, name: "other" }], [state])
  assert.isUndefined(credit.spend([window], 0))
})
