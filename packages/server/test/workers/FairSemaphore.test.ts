/** How many places each owner gets. */
import { assert, it } from "@effect/vitest"
import * as FairSemaphore from "@partner-commentary/server/workers/FairSemaphore"
import * as Effect from "effect/Effect"

/** Takes as many as are free for the owner, and tells how many these were. */
const takeAll = (places: FairSemaphore.FairSemaphore<string>, owner: string) => {
  const taken = []
  while (places.isFreeFor(owner)) taken.push(places.take(owner, Effect.void))
  return taken
}

it("who is alone gets half of them, and whoever comes next finds room", () => {
  const places = FairSemaphore.make<string>(16)
  assert.deepStrictEqual(
    ["a", "b", "c", "d", "e", "a"].map((owner) => takeAll(places, owner).length),
    [8, 4, 2, 1, 1, 0]
  )
})

it("two that take turns get a third each", () => {
  const places = FairSemaphore.make<string>(16)
  const taken = { a: 0, b: 0 }
  for (let turn = 0; turn < 20; turn++) {
    for (const owner of ["a", "b"] as const) {
      if (!places.isFreeFor(owner)) continue
      places.take(owner, Effect.void)
      taken[owner]++
    }
  }
  assert.deepStrictEqual(taken, { a: 6, b: 5 })
})

it("a single place is taken by one at a time", () => {
  const places = FairSemaphore.make<string>(1)
  assert.lengthOf(takeAll(places, "a"), 1)
  assert.isFalse(places.isFreeFor("b"))
})

it.effect("a place is free again when its work ends, however it ends", () =>
  Effect.gen(function* () {
    const places = FairSemaphore.make<string>(3)
    const works = [Effect.void, Effect.die("broken"), Effect.interrupt]
    for (const work of works) {
      yield* Effect.exit(places.take("a", work))
      assert.lengthOf(yield* Effect.forEach(takeAll(places, "a"), (one) => Effect.as(one, 1)), 2)
    }
  })
)
