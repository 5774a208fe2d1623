import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { mapRowsInSteps } from "../../src/database/Steps.ts"

it.effect("many rows are mapped in order, and other fibers run between the steps", () =>
  Effect.gen(function* () {
    const rows = Array.from({ length: 1000 }, (_, index) => index)
    let mapped = 0
    let longest = 0
    const mapping = yield* Effect.forkChild(mapRowsInSteps(rows, (row) => ++mapped && row * 2))
    for (let before = 0; mapped < rows.length; before = mapped) {
      yield* Effect.yieldNow
      longest = Math.max(longest, mapped - before)
    }
    assert.isAtMost(longest, 32)
    assert.deepStrictEqual(
      yield* Fiber.join(mapping),
      rows.map((row) => row * 2)
    )
  })
)

it("a short list of rows is mapped in one step", () => {
  assert.deepStrictEqual(Effect.runSync(mapRowsInSteps([1, 2, 3], (row) => row + 1)), [2, 3, 4])
})
