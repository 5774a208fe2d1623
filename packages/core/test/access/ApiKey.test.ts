import { describe, it } from "@effect/vitest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { assert } from "vitest"
import {
  type ApiKey,
  extractKeyPrefix,
  findKeyRejection,
  generateKeyText,
  parseKeyEnvironment
} from "../../src/access/ApiKey.ts"
import { calculateTokenChecksum } from "../../src/shared/Secret.ts"
import { makeTestUuid } from "../topic/SampleAssignments.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const base62 = (length: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length }).map((all) => all.join(""))

const environment = fc.constantFrom("live" as const, "test" as const)
const text = fc.tuple(environment, base62(32)).map(([where, random]) => {
  const unchecked = `pk_${where}_${random}`
  return unchecked + calculateTokenChecksum(unchecked)
})

const refused = (key: string) => Option.isNone(parseKeyEnvironment(key))

const generateKey = (where: "live" | "test") =>
  Effect.gen(function* () {
    return Redacted.value(yield* generateKeyText(where, yield* SecureRandom.SecureRandom))
  }).pipe(Effect.provide(SecureRandom.layerWebCrypto))

describe("the text of an API key", () => {
  it.effect(
    "the text of an API key contains the environment, 32 random characters and a checksum of six characters",
    () =>
      Effect.gen(function* () {
        const seen = new Set<string>()
        for (let times = 0; times < 100; times++) {
          for (const where of ["live", "test"] as const) {
            const key = yield* generateKey(where)
            assert.match(key, new RegExp(`^pk_${where}_[0-9A-Za-z]{38}$`))
            assert.strictEqual(key.slice(-6), calculateTokenChecksum(key.slice(0, -6)))
            assert.deepStrictEqual(parseKeyEnvironment(key), Option.some(where))
            assert.strictEqual(extractKeyPrefix(key), key.slice(0, 16))
            seen.add(key)
          }
        }
        assert.strictEqual(seen.size, 200)
      })
  )

  it("the text of an API key is rejected after a change of any single character", () =>
    fc.assert(
      fc.property(text, fc.nat({ max: 45 }), fc.constantFrom(...alphabet, "_", "-", " ", "é"), (key, at, other) => {
        fc.pre(key[at] !== other)
        assert.isTrue(refused(key.slice(0, at) + other + key.slice(at + 1)))
      }),
      { numRuns: 2000 }
    ))

  it("the text of an API key is rejected after a swap of two adjacent characters", () =>
    fc.assert(
      fc.property(text, (key) => {
        for (let at = 0; at < key.length - 1; at++) {
          if (key[at] === key[at + 1]) continue
          assert.isTrue(refused(key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2)), `at ${at}`)
        }
      })
    ))

  it("an API key that is truncated, extended, in upper case, or has the prefix of the other environment is rejected", () =>
    fc.assert(
      fc.property(text, (key) => {
        assert.isFalse(refused(key))
        for (const other of [key.slice(1), key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase()])
          assert.isTrue(refused(other), other)
        const elsewhere = key.startsWith("pk_live_") ? `pk_test_${key.slice(8)}` : `pk_live_${key.slice(8)}`
        assert.isTrue(refused(elsewhere))
      })
    ))

  it("a text that does not have the form of an API key is rejected", () => {
    for (const key of ["", "pk_live_", `pk_prod_${"a".repeat(38)}`, `sk_live_${"a".repeat(38)}`, "a".repeat(46)])
      assert.isTrue(refused(key), key)
  })
})

describe("an API key", () => {
  const key: ApiKey = {
    id: makeTestUuid(1),
    lineageId: makeTestUuid(1),
    organizationId: makeTestUuid(2),
    name: "Server",
    prefix: "pk_live_01234567",
    scopes: [],
    environment: "live",
    ipAllowList: [],
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    isRevoked: false,
    lastUsedAt: null
  }
  const why = (expiresAt: number | null, revokedAt: number | null, now: number) =>
    Option.getOrNull(Option.map(findKeyRejection({ ...key, expiresAt, revokedAt }, now), ({ _tag }) => _tag))

  it("an API key is valid until the exact time of its expiry or revocation", () => {
    assert.isNull(why(null, null, Number.MAX_SAFE_INTEGER))
    assert.deepStrictEqual([why(1000, null, 999), why(1000, null, 1000)], [null, "KeyExpired"])
    assert.deepStrictEqual([why(null, 1000, 999), why(null, 1000, 1000)], [null, "KeyRevoked"])
  })

  it("an immediately revoked API key is invalid even on a node whose clock is slow", () => {
    const revoked = { ...key, revokedAt: 1000, isRevoked: true }
    for (const now of [0, 999, 1000]) {
      assert.deepStrictEqual(Option.getOrNull(findKeyRejection(revoked, now))?._tag, "KeyRevoked")
    }
  })

  it("an API key that is both revoked and expired is reported as revoked", () => {
    assert.strictEqual(why(1000, 2000, 2000), "KeyRevoked")
    assert.strictEqual(why(2000, 1000, 2000), "KeyRevoked")
    assert.strictEqual(why(1000, 2000, 1500), "KeyExpired")
  })
})
