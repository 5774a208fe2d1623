import { assert, it } from "@effect/vitest"
import * as FairSemaphore from "@partner-commentary/server/workers/FairSemaphore"
import * as Effect from "effect/Effect"

/** Takes free permits for the owner until the owner may take no more permits. Returns the taken permits. */
const takeAll = (places: FairSemaphore.FairSemaphore<string>, owner: string) => {
  const taken = []
  while (places.isFreeFor(owner)) taken.push(places.take(owner, Effect.void))
  return taken
}

it("a single owner gets half of the permits, and a second owner still finds free permits", () => {
  const places = FairSemaphore.make<string>(16)
  assert.deepStrictEqual(
    ["a", "b", "c", "d", "e", "a"].map((owner) => takeAll(places, owner).length),
    [8, 4, 2, 1, 1, 0]
  )
})

it("two owners that alternate get a third of the permits each", () => {
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

it("an owner with a pending claim counts as if the owner held one permit more", () => {
  const places = FairSemaphore.make<string>(4)
  assert.isTrue(places.isFreeFor("a", ["a"]))
  assert.isFalse(places.isFreeFor("a", ["a", "a"]))
  assert.isTrue(places.isFreeFor("b", ["a", "a"]))
  assert.isTrue(places.isFreeFor("a"))
})

it("a single permit is held by only one owner at a time", () => {
  const places = FairSemaphore.make<string>(1)
  assert.lengthOf(takeAll(places, "a"), 1)
  assert.isFalse(places.isFreeFor("b"))
})

it.effect("a permit is released when its work ends by success, failure or interruption", () =>
  Effect.gen(function* () {
    const places = FairSemaphore.make<string>(3)
    const works = [Effect.void, Effect.die("broken"), Effect.interrupt]
    for (const work of works) {
      yield* Effect.exit(places.take("a", work))
      assert.lengthOf(yield* Effect.forEach(takeAll(places, "a"), (one) => Effect.as(one, 1)), 2)
    }
  })
)
