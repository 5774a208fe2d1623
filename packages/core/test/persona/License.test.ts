import { describe, it } from "@effect/vitest"
import { assert } from "vitest"
import { isActive } from "../../src/persona/License.ts"

describe("a licence", () => {
  it("without an end is valid until it is revoked", () => {
    assert.isTrue(isActive({ until: null, revokedAt: null }, Number.MAX_SAFE_INTEGER))
    assert.isFalse(isActive({ until: null, revokedAt: 1000 }, 1000))
  })

  it("a licence is valid until exactly its end", () => {
    assert.isTrue(isActive({ until: 1000, revokedAt: null }, 999))
    assert.isFalse(isActive({ until: 1000, revokedAt: null }, 1000))
    assert.isFalse(isActive({ until: 1000, revokedAt: null }, 1001))
  })

  it("a licence that was revoked is invalid, whatever its end", () => {
    assert.isFalse(isActive({ until: 2000, revokedAt: 1000 }, 1500))
    assert.isFalse(isActive({ until: 1000, revokedAt: 1000 }, 1500))
  })
})
