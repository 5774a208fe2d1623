import { describe, it } from "@effect/vitest"
import { assert } from "vitest"
import { isLicenseActive } from "../../src/persona/License.ts"

describe("a licence", () => {
  it("a licence without an end is valid until it is revoked", () => {
    assert.isTrue(isLicenseActive({ until: null, revokedAt: null }, Number.MAX_SAFE_INTEGER))
    assert.isFalse(isLicenseActive({ until: null, revokedAt: 1000 }, 1000))
  })

  it("a licence is valid until the exact time of its end", () => {
    assert.isTrue(isLicenseActive({ until: 1000, revokedAt: null }, 999))
    assert.isFalse(isLicenseActive({ until: 1000, revokedAt: null }, 1000))
    assert.isFalse(isLicenseActive({ until: 1000, revokedAt: null }, 1001))
  })

  it("a revoked licence is invalid even before its end", () => {
    assert.isFalse(isLicenseActive({ until: 2000, revokedAt: 1000 }, 1500))
    assert.isFalse(isLicenseActive({ until: 1000, revokedAt: 1000 }, 1500))
  })
})
