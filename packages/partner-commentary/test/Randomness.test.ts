/** Tests random bytes that are read from the system in blocks. */
import { assert, describe, it } from "@effect/vitest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Randomness from "../src/Randomness.ts"

describe("randomness", () => {
  it.effect("no byte is returned twice, for any number of bytes that a caller requests at a time", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const seen = new Set<string>()
      let given = 0
      for (let round = 0; round < 2000; round++) {
        const size = 8 + (round % 25)
        const bytes = yield* random.randomBytes(size)
        assert.strictEqual(bytes.length, size)
        // Each value has 64 random bits, so equal values mean that a block was used twice.
        seen.add(Buffer.from(bytes.slice(0, 8)).toString("hex"))
        given++
      }
      assert.strictEqual(seen.size, given)
    }).pipe(Effect.provide(Randomness.layer))
  )

  it.effect("returned bytes do not change, and a caller can request more than a block at once", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const first = yield* random.randomBytes(32)
      const copy = first.slice()
      const large = yield* random.randomBytes(10_000)
      for (let round = 0; round < 500; round++) yield* random.randomBytes(64)
      assert.deepStrictEqual(first, copy)
      assert.isTrue(first.some((byte) => byte !== 0))
      assert.strictEqual(large.length, 10_000)
      assert.isTrue(large.subarray(5000).some((byte) => byte !== 0))
    }).pipe(Effect.provide(Randomness.layer))
  )
})
