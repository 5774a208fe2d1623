import { assert, it } from "vitest"
import * as UnchangedResponseCredit from "../../src/access/UnchangedResponseCredit.ts"

const window = { name: "key", limit: 100, seconds: 60 }
const state = { limit: 100, remaining: 99, resetsAt: 60_000 }

it("if every response is unchanged, the rate limit counts about one in ten requests", () => {
  const credit = UnchangedResponseCredit.make(10)
  let counted = 0
  for (let number = 0; number < 1000; number++) {
    if (credit.spend("caller", [window], 0) === undefined) {
      counted++
      credit.note("caller", [window], [state])
    }
    credit.earn("caller", [window])
  }
  assert.isAtLeast(counted, 100)
  assert.isAtMost(counted, 103)
})

it("a request does not spend saved credit in a later rate window, with another limit, or after the clock was set back", () => {
  const credit = UnchangedResponseCredit.make(10)
  credit.note("caller", [window], [state])
  credit.earn("caller", [window])
  credit.earn("caller", [window])
  assert.isUndefined(credit.spend("caller", [window], 60_000))
  assert.isUndefined(credit.spend("caller", [window], -1))
  assert.isUndefined(credit.spend("caller", [{ ...window, limit: 50 }], 0))
  assert.deepStrictEqual(credit.spend("caller", [window], 0), [state])
})

it("a caller saves credit for at most two requests, and a full cache removes the oldest caller", () => {
  const credit = UnchangedResponseCredit.make(1)
  credit.note("caller", [window], [state])
  for (let number = 0; number < 100; number++) credit.earn("caller", [window])
  assert.deepStrictEqual(
    [credit.spend("caller", [window], 0), credit.spend("caller", [window], 0), credit.spend("caller", [window], 0)],
    [[state], [state], undefined]
  )
  for (let number = 0; number < 3; number++) credit.earn("caller", [window])
  credit.note("other", [{ ...window, name: "other" }], [state])
  assert.isUndefined(credit.spend("caller", [window], 0))
})

it("an unconditional request updates the stored window states only if its caller has already sent a conditional request", () => {
  const credit = UnchangedResponseCredit.make(10)
  const hourly = { ...window, seconds: 3600 }
  const later = { ...state, remaining: 7 }
  credit.update("caller", [window], [state])
  credit.earn("caller", [window])
  credit.earn("caller", [window])
  assert.isUndefined(credit.spend("caller", [window], 0))
  credit.note("caller", [window, hourly], [state, state])
  credit.earn("caller", [window, hourly])
  credit.earn("caller", [window, hourly])
  credit.update("caller", [hourly], [later])
  assert.deepStrictEqual(credit.spend("caller", [window, hourly], 0), [state, later])
})
