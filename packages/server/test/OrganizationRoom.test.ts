import { assert, describe, it } from "@effect/vitest"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as OrganizationRoom from "../src/OrganizationRoom.ts"

const acme = "acme" as OrganizationId
const other = "other" as OrganizationId

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

const setUp = () => {
  const within = OrganizationRoom.make("reports of an organization are made")
  const seen = { inside: 0, most: 0, done: 0 }
  /** Works until it is let go. */
  const visit = (organization: OrganizationId = acme) =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const work = Effect.acquireUseRelease(
        Effect.sync(() => {
          seen.most = Math.max(seen.most, ++seen.inside)
        }),
        () => Deferred.await(gate),
        () => Effect.sync(() => void seen.inside--)
      )
      const fiber = yield* Effect.forkChild(
        Effect.andThen(
          within(organization, work),
          Effect.sync(() => void seen.done++)
        )
      )
      yield* settle
      return { fiber, go: Effect.andThen(Deferred.succeed(gate, undefined), settle) }
    })
  return { seen, visit }
}

describe("requests of one kind and one organization", () => {
  it.effect("are two at work; others take their turns as those leave, however they leave", () =>
    Effect.gen(function* () {
      const { seen, visit } = setUp()
      const all = yield* Effect.forEach(Array.from({ length: 5 }), () => visit())
      assert.deepStrictEqual(seen, { inside: 2, most: 2, done: 0 })
      yield* all[0]?.go ?? Effect.void
      assert.deepStrictEqual(seen, { inside: 2, most: 2, done: 1 })
      if (all[1] !== undefined) yield* Fiber.interrupt(all[1].fiber)
      yield* settle
      assert.deepStrictEqual(seen, { inside: 2, most: 2, done: 1 })
      for (const { go } of all) yield* go
      yield* settle
      assert.deepStrictEqual(seen, { inside: 0, most: 2, done: 4 })
    })
  )

  it.effect("wait ten seconds for their turn, and are refused then; who left the queue takes no place", () =>
    Effect.gen(function* () {
      const { seen, visit } = setUp()
      const [first] = [yield* visit(), yield* visit()]
      const leaver = yield* visit()
      yield* Fiber.interrupt(leaver.fiber)
      const waiting = yield* visit()
      yield* TestClock.adjust(9_999)
      assert.isUndefined(waiting.fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      const exit = yield* Effect.exit(Fiber.join(waiting.fiber))
      assert.isTrue(Exit.isFailure(exit))
      assert.include(JSON.stringify(exit), "rate_limit_exceeded")
      yield* first.go
      assert.strictEqual(seen.inside, 1)
      yield* visit()
      assert.strictEqual(seen.inside, 2)
    })
  )

  it.effect("keep nobody else waiting", () =>
    Effect.gen(function* () {
      const { seen, visit } = setUp()
      for (const organization of [acme, acme, acme, other, other, other]) yield* visit(organization)
      assert.strictEqual(seen.inside, 4)
    })
  )
})
