/** Tests that requests with made-up keys are cheap and do not disturb requests with valid keys. */
import { describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { assert } from "vitest"
import { maxSuspectLookups } from "../../src/access/ApiKeys.ts"
import { calculateTokenChecksum } from "../../src/shared/Secret.ts"
import { acmeOrganization, allowedAddress, issueTestKey, validNewApiKey } from "./KeyWorld.ts"

const moment = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 2)))

describe("made-up keys", () => {
  /** Returns well-formed keys that do not exist in the store. */
  const madeUp = (count: number): ReadonlyArray<string> =>
    Array.from({ length: count }, (_, number) => {
      const unchecked = `pk_live_${String(number).padStart(32, "0")}`
      return unchecked + calculateTokenChecksum(unchecked)
    })

  it.effect("made-up keys do not evict valid keys from the cache", () =>
    Effect.gen(function* () {
      const made = yield* issueTestKey()
      assert.strictEqual(yield* made.met(), "Server")
      for (const text of madeUp(10_001)) yield* Effect.flip(made.keys.authenticate(text, allowedAddress))
      const { lookUps } = made.behind
      assert.strictEqual(yield* made.met(), "Server")
      assert.strictEqual(made.behind.lookUps, lookUps)
    })
  )

  it.effect("requests from addresses that sent invalid keys share a few look-ups and do not delay other requests", () =>
    Effect.gen(function* () {
      const made = yield* issueTestKey()
      const { behind, keys, text } = made
      const suspects = madeUp(20)
      const { fullKey } = yield* keys.issue(acmeOrganization, validNewApiKey)
      const unsuspected = Redacted.value((yield* keys.issue(acmeOrganization, validNewApiKey)).fullKey)
      assert.strictEqual(yield* made.met(), "Server")
      const gate = yield* Deferred.make<void>()
      behind.before = Deferred.await(gate)
      behind.lookUps = 0
      const fibers = yield* Effect.forEach(suspects, (one) =>
        Effect.forkChild(Effect.flip(keys.authenticate(one, allowedAddress, true)))
      )
      const good = yield* Effect.forkChild(keys.authenticate(Redacted.value(fullKey), allowedAddress, true))
      /** Waits in real time, because hashing runs outside the test's thread. */
      const lookedUp = Effect.fnUntraced(function* (count: number) {
        for (let tries = 0; tries < 2000 && behind.lookUps < count; tries++) yield* moment
        yield* moment
        assert.strictEqual(behind.lookUps, count)
      })
      yield* lookedUp(maxSuspectLookups)
      // Requests with a cached key and requests from unsuspected addresses do not wait.
      assert.strictEqual((yield* keys.authenticate(text, allowedAddress, true)).key.name, "Server")
      const another = yield* Effect.forkChild(keys.authenticate(unsuspected, allowedAddress))
      yield* lookedUp(maxSuspectLookups + 1)
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(good)).key.name, "Server")
      assert.strictEqual((yield* Fiber.join(another)).key.name, "Server")
      for (const fiber of fibers) assert.strictEqual((yield* Fiber.join(fiber))._tag, "Unauthorized")
      assert.strictEqual(behind.lookUps, 22)
    })
  )
})
