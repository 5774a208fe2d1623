import { assert, describe, it } from "@effect/vitest"
import { make } from "../../src/middleware/VerifiedCredentials.ts"

describe("Cache of verified credentials", () => {
  it("a verified credential identifies its owner for fifteen minutes", () => {
    let now = 0
    const { accept, ownerOf } = make(() => now)
    assert.isUndefined(ownerOf("key"))
    accept("key", "acme")
    now = 15 * 60_000 - 1
    assert.strictEqual(ownerOf("key"), "acme")
    now++
    assert.isUndefined(ownerOf("key"))
  })

  it("above 10,000 verified credentials, the cache removes the credential with the oldest verification", () => {
    let now = 0
    const { accept, ownerOf } = make(() => now)
    accept("first", "acme")
    accept("second", "acme")
    now = 1000
    accept("first", "acme")
    for (let nth = 0; nth < 9_999; nth++) accept(`${nth}`, "other")
    assert.isUndefined(ownerOf("second"))
    assert.strictEqual(ownerOf("first"), "acme")
  })

  it("the credential cache stores no empty credentials and none above 2,048 characters", () => {
    const { accept, ownerOf } = make(() => 0)
    for (const credential of ["", "x".repeat(2049)]) {
      accept(credential, "acme")
      assert.isUndefined(ownerOf(credential))
    }
  })
})
