import { describe, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import { calculateTokenChecksum, hashSha256Hex, toBase62 } from "../../src/shared/Secret.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

describe("Base62 texts from random bytes", () => {
  it("base62 characters from random bytes are unbiased: exactly four byte values produce each character", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const counts = new Map<string, number>()
    for (const character of toBase62(bytes, 256)) counts.set(character, (counts.get(character) ?? 0) + 1)
    assert.sameMembers([...counts.keys()], [...alphabet])
    assert.sameMembers([...new Set(counts.values())], [4])
  })

  it("the base62 conversion of random bytes skips biased bytes and stops at the requested length", () => {
    assert.strictEqual(toBase62(Uint8Array.of(255, 248, 0, 61, 62, 247, 1), 4), "0z0z")
  })
})

describe("Checksums", () => {
  it("the checksum of a text is the CRC-32 as six base62 digits", () => {
    // CRC-32 (IEEE 802.3) defines this check value: the CRC of "123456789" is cbf43926.
    const value = (text: string) => [...text].reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0)
    assert.strictEqual(value(calculateTokenChecksum("123456789")), 0xcbf43926)
    assert.strictEqual(value(calculateTokenChecksum("")), 0)
    assert.strictEqual(value(calculateTokenChecksum("The quick brown fox jumps over the lazy dog")), 0x414fa339)
    assert.strictEqual(calculateTokenChecksum(""), "000000")
    assert.lengthOf(calculateTokenChecksum("a"), 6)
  })
})

describe("Hashes", () => {
  it.effect("the hash of a text is the SHA-256 of the UTF-8 bytes in lower-case hex", () =>
    Effect.gen(function* () {
      const digest = yield* Digest.Digest
      const known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
      assert.strictEqual(yield* hashSha256Hex(digest, "abc"), known)
    }).pipe(Effect.provide(Digest.layerWebCrypto))
  )
})
