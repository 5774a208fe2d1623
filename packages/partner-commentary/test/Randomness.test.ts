/** Tests the random bytes that the package reads from the system in blocks. */
import { assert, describe, it } from "@effect/vitest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Randomness from "../src/Randomness.ts"

describe("Random bytes", () => {
  it.effect("no random byte is returned twice, whatever number of bytes each call requests", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      const seen = new Set<string>()
      let given = 0
      for (let round = 0; round < 2000; round++) {
        const size = 8 + (round % 25)
        const bytes = yield* random.randomBytes(size)
        assert.strictEqual(bytes.length, size)
        // Each value has 64 random bits, so two equal values would prove that random bytes were returned twice.
        seen.add(Buffer.from(bytes.slice(0, 8)).toString("hex"))
        given++
      }
      assert.strictEqual(seen.size, given)
    }).pipe(Effect.provide(Randomness.layer))
  )

  it.effect("returned random bytes do not change later, and one call can request more bytes than a block", () =>
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
