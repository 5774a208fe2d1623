import { describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Result from "effect/Result"
import { assert } from "vitest"
import type { ApiKey } from "../../src/access/ApiKey.ts"
import { rotateApiKey } from "../../src/access/ApiKeyRotation.ts"
import type { ApiKeyId, OrganizationId } from "../../src/shared/Ids.ts"
import { latestInstant } from "../../src/shared/Instant.ts"
import { makeTestUuid } from "../topic/SampleAssignments.ts"

const day = 86_400_000
const now = 100 * day

const key: ApiKey = {
  id: makeTestUuid<ApiKeyId>(2),
  lineageId: makeTestUuid<ApiKeyId>(1),
  organizationId: makeTestUuid<OrganizationId>(3),
  name: "Server",
  prefix: "pk_live_AbCd1234",
  scopes: ["topics:read"],
  environment: "live",
  ipAllowList: ["203.0.113.0/24"],
  createdAt: 90 * day,
  expiresAt: null,
  revokedAt: null,
  isRevoked: false,
  lastUsedAt: 99 * day
}
const fresh = { id: makeTestUuid<ApiKeyId>(4), prefix: "pk_live_Zx81QvLm" }

const rotated = (changes: Partial<ApiKey> = {}, grace = Duration.days(1)) =>
  rotateApiKey({ ...key, ...changes }, fresh, grace, now)

const outcome = (changes: Partial<ApiKey>) =>
  Result.match(rotated(changes), { onFailure: ({ _tag }) => _tag, onSuccess: () => "rotated" })

describe("rotating a key", () => {
  it("rotating a key creates an unused successor with the same settings and rate windows", () => {
    const { revokedAt, successor } = Result.getOrThrow(rotated())
    assert.deepStrictEqual(successor, { ...key, ...fresh, createdAt: now, lastUsedAt: null })
    assert.strictEqual(revokedAt, now + day)
  })

  it("rotating a key without a grace period revokes the old key immediately", () => {
    assert.isTrue(Result.getOrThrow(rotated({}, Duration.zero)).isRevoked)
    assert.isFalse(Result.getOrThrow(rotated({}, Duration.seconds(1))).isRevoked)
    assert.isFalse(Result.getOrThrow(rotated({}, Duration.zero)).successor.isRevoked)
  })

  it("rotating a key gives the successor the same lifetime as the old key", () => {
    const { successor } = Result.getOrThrow(rotated({ expiresAt: now + 5 * day }))
    assert.strictEqual(successor.expiresAt, now + 15 * day)
    const endless = Result.getOrThrow(rotated({ expiresAt: latestInstant }))
    assert.strictEqual(endless.successor.expiresAt, latestInstant)
  })

  it("rotating a key never extends the old key's life", () => {
    assert.strictEqual(Result.getOrThrow(rotated({ expiresAt: now + 1 })).revokedAt, now + 1)
    assert.strictEqual(Result.getOrThrow(rotated({ expiresAt: now + 2 * day })).revokedAt, now + day)
    assert.strictEqual(Result.getOrThrow(rotated({}, Duration.zero)).revokedAt, now)
  })

  it("a revoked, expired or already rotated key cannot be rotated", () => {
    assert.strictEqual(outcome({ revokedAt: now }), "KeyRevoked")
    assert.strictEqual(outcome({ expiresAt: now }), "KeyExpired")
    assert.strictEqual(outcome({ revokedAt: now - 1, expiresAt: now - 2 }), "KeyRevoked")
    assert.strictEqual(outcome({ revokedAt: now + 1 }), "KeyAlreadyRotated")
    assert.strictEqual(outcome({ expiresAt: now + 1 }), "rotated")
  })
})
