import { describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import { requireScope } from "../../src/access/ApiKeys.ts"
import { CurrentFairShare } from "../../src/shared/FairShare.ts"
import type { OrganizationId } from "../../src/shared/Ids.ts"
import { makeTestUuid } from "../topic/SampleAssignments.ts"
import { acmeOrganization, acmeOrganizationId, allowedAddress, issueTestKey, validNewApiKey } from "./KeyWorld.ts"

describe("issuing a key", () => {
  it.effect("issuing a key returns the key's text but stores only its hash", () =>
    Effect.gen(function* () {
      const { behind, key, text } = yield* issueTestKey()
      assert.strictEqual(key.prefix, text.slice(0, 16))
      assert.notInclude(JSON.stringify([[...behind.keys], behind.record]), text.slice(16))
      const [[hash = ""] = []] = [...behind.keys]
      assert.match(hash, /^[0-9a-f]{64}$/)
      assert.deepInclude(behind.record[0], {
        action: "key.created",
        subject: key.id,
        organizationId: acmeOrganizationId
      })
    })
  )

  it.effect("a new or changed allow list with an invalid address is rejected and not stored", () =>
    Effect.gen(function* () {
      const { behind, key, keys } = yield* issueTestKey()
      const changed = keys.change(
        key.id,
        { name: null, ipAllowList: ["10.0.0"] },
        { by: "operator", organizationId: acmeOrganizationId }
      )
      assert.deepInclude(yield* Effect.flip(changed), { _tag: "InvalidAllowList", entry: "10.0.0" })
      const unreadable = yield* Effect.flip(
        keys.issue(acmeOrganization, { ...validNewApiKey, ipAllowList: [allowedAddress, "home"] })
      )
      assert.deepInclude(unreadable, { _tag: "InvalidAllowList", entry: "home" })
      assert.strictEqual(behind.keys.size, 1)
      assert.lengthOf(behind.record, 1)
    })
  )
})

describe("authentication", () => {
  it.effect("authentication returns the key, the organization, the environment and the limits", () =>
    Effect.gen(function* () {
      const { key, keys, text } = yield* issueTestKey({ environment: "test" })
      const principal = yield* keys.authenticate(text, allowedAddress)
      assert.deepStrictEqual(principal.key, key)
      assert.deepStrictEqual(principal.organization, acmeOrganization)
      assert.strictEqual(principal.environment, "test")
      assert.deepInclude(principal.limits, { requests_per_hour: 7, burst_per_minute: 100 })
      yield* requireScope(principal, "topics:read")
      const denied = yield* Effect.flip(requireScope(principal, "topics:submit"))
      assert.strictEqual(denied.scope, "topics:submit")
    })
  )

  it.effect(
    "authentication first rejects unknown keys, then revoked keys, then expired keys, then forbidden addresses",
    () =>
      Effect.gen(function* () {
        const { key, keys, met } = yield* issueTestKey({ expiresAt: 60_000, ipAllowList: [allowedAddress] })
        const stranger = "198.51.100.1"
        assert.strictEqual(yield* met(), "Server")
        assert.strictEqual(yield* met(stranger), "IpRestricted")
        yield* TestClock.adjust("60 seconds")
        assert.strictEqual(yield* met(stranger), "KeyExpired")
        yield* keys.revoke(key.id)
        assert.strictEqual(yield* met(stranger), "KeyRevoked")
        const other = (yield* issueTestKey()).text
        assert.strictEqual((yield* Effect.flip(keys.authenticate(other, stranger)))._tag, "Unauthorized")
      })
  )

  it.effect("authentication fails from the exact time of the key's expiry, even for a cached key", () =>
    Effect.gen(function* () {
      const { met } = yield* issueTestKey({ expiresAt: 10_000 })
      yield* TestClock.adjust("9999 millis")
      assert.strictEqual(yield* met(), "Server")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* met(), "KeyExpired")
    })
  )

  it.effect("authentication rejects every key of a suspended organization as unknown, even a revoked key", () =>
    Effect.gen(function* () {
      const { behind, key, keys, met } = yield* issueTestKey()
      yield* keys.revoke(key.id)
      behind.organizations.set(acmeOrganization.id, { ...acmeOrganization, suspendedAt: 0 })
      assert.strictEqual(yield* met(), "Unauthorized")
      behind.organizations.delete(acmeOrganization.id)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* met(), "Unauthorized")
    })
  )
})

describe("a cached key", () => {
  it.effect("a cached key costs no query for three seconds, in concurrent or sequential requests", () =>
    Effect.gen(function* () {
      const { behind, met } = yield* issueTestKey()
      yield* Effect.all(
        Array.from({ length: 20 }, () => met()),
        { concurrency: "unbounded" }
      )
      yield* TestClock.adjust("2999 millis")
      yield* met()
      assert.strictEqual(behind.lookUps, 1)
      yield* TestClock.adjust("1 millis")
      yield* met()
      assert.strictEqual(behind.lookUps, 2)
    })
  )

  it.effect("a failed look-up of a key is not cached", () =>
    Effect.gen(function* () {
      const { behind, met } = yield* issueTestKey()
      behind.before = Effect.die(new Error("the database is away"))
      assert.isDefined(yield* Effect.catchDefect(met(), (defect) => Effect.succeed(defect)))
      behind.before = Effect.void
      assert.strictEqual(yield* met(), "Server")
    })
  )

  it.effect("repeated requests with an unknown key share one look-up", () =>
    Effect.gen(function* () {
      const { behind, keys } = yield* issueTestKey()
      const other = (yield* issueTestKey()).text
      for (let times = 0; times < 5; times++) yield* Effect.flip(keys.authenticate(other, allowedAddress))
      assert.strictEqual(behind.lookUps, 1)
    })
  )

  it.effect("a mistyped key is rejected without a query", () =>
    Effect.gen(function* () {
      const { behind, keys, text } = yield* issueTestKey()
      const swapped = text.slice(0, 20) + (text[20] === "a" ? "b" : "a") + text.slice(21)
      for (const key of ["", "garbage", text.slice(1), text.toLowerCase(), swapped])
        assert.strictEqual((yield* Effect.flip(keys.authenticate(key, allowedAddress)))._tag, "Unauthorized")
      assert.strictEqual(behind.lookUps, 0)
    })
  )
})

describe("a revoked key", () => {
  it.effect("a revoked key is rejected on the next request and keeps the time of its first revocation", () =>
    Effect.gen(function* () {
      const { behind, key, keys, met } = yield* issueTestKey()
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* met(), "Server")
      assert.strictEqual((yield* keys.revoke(key.id)).revokedAt, 1000)
      assert.strictEqual(yield* met(), "KeyRevoked")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* keys.revoke(key.id)).revokedAt, 1000)
      assert.strictEqual(yield* met(), "KeyRevoked")
      assert.lengthOf(behind.record, 2)
      assert.deepInclude(behind.record[1], { action: "key.revoked", subject: key.id, details: { by: "operator" } })
    })
  )

  it.effect("a revoked key is rejected by another node within five seconds", () =>
    Effect.gen(function* () {
      const { behind, key, met } = yield* issueTestKey()
      assert.strictEqual(yield* met(), "Server")
      for (const [hash, present] of behind.keys)
        if (present.id === key.id) behind.keys.set(hash, { ...key, revokedAt: 0 })
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* met(), "KeyRevoked")
    })
  )

  it.effect("a node whose clock was set back rejects a revoked key but accepts a rotated key in its grace period", () =>
    Effect.gen(function* () {
      for (const [grace, outcome] of [
        [null, "KeyRevoked"],
        [Duration.zero, "KeyRevoked"],
        [Duration.seconds(1), "Server"]
      ] as const) {
        const { key, keys, met } = yield* issueTestKey()
        yield* TestClock.setTime(3_600_000)
        yield* grace === null
          ? keys.revoke(key.id)
          : keys.rotate(key.id, grace, { organizationId: acmeOrganizationId, by: "operator" })
        yield* TestClock.setTime(0)
        assert.strictEqual(yield* met(), outcome)
      }
    })
  )

  it.effect(
    "the operator can revoke a rotated key after its grace period, so that the key stays revoked when the clock is set back",
    () =>
      Effect.gen(function* () {
        const { behind, key, keys, met } = yield* issueTestKey()
        yield* keys.rotate(key.id, Duration.seconds(1), { organizationId: acmeOrganizationId, by: "operator" })
        yield* TestClock.setTime(2000)
        assert.strictEqual((yield* keys.revoke(key.id)).revokedAt, 1000)
        assert.lengthOf(behind.record, 2)
        yield* TestClock.setTime(0)
        assert.strictEqual(yield* met(), "KeyRevoked")
      })
  )

  it.effect("a node whose clock was set back does not use its cached copy of a revoked key", () =>
    Effect.gen(function* () {
      const { behind, key, met } = yield* issueTestKey()
      yield* TestClock.setTime(3_600_000)
      assert.strictEqual(yield* met(), "Server")
      for (const [hash, present] of behind.keys)
        if (present.id === key.id) behind.keys.set(hash, { ...key, revokedAt: 3_600_000, isRevoked: true })
      yield* TestClock.setTime(0)
      assert.strictEqual(yield* met(), "KeyRevoked")
    })
  )

  it.effect("the revocation or rotation of a key does not evict other keys from the cache", () =>
    Effect.gen(function* () {
      const { behind, keys, met } = yield* issueTestKey()
      const other = yield* keys.issue(acmeOrganization, { ...validNewApiKey, name: "Other" })
      yield* met()
      yield* keys.authenticate(Redacted.value(other.fullKey), allowedAddress)
      const before = behind.lookUps
      const manager = { organizationId: acmeOrganization.id, by: "them" }
      const { key } = yield* keys.rotate(other.key.id, Duration.zero, manager)
      yield* keys.revoke(key.id, manager)
      yield* keys.revoke(other.key.id, manager)
      assert.strictEqual(yield* met(), "Server")
      assert.strictEqual(behind.lookUps, before)
      assert.strictEqual(
        (yield* Effect.flip(keys.authenticate(Redacted.value(other.fullKey), allowedAddress)))._tag,
        "KeyRevoked"
      )
    })
  )

  it.effect("the look-up of a key is common work, because requests of all organizations may wait for the look-up", () =>
    Effect.gen(function* () {
      const { behind, met } = yield* issueTestKey()
      const owners: Array<string> = []
      behind.before = Effect.map(CurrentFairShare, ({ owner }) => void owners.push(owner))
      yield* Effect.provideService(met(), CurrentFairShare, { owner: "a partner", isFrequent: false })
      assert.deepStrictEqual(owners, [""])
    })
  )

  it.effect("a look-up that runs during the revocation of a key does not cache the key as valid", () =>
    Effect.gen(function* () {
      const { behind, key, keys, met } = yield* issueTestKey()
      const gate = yield* Deferred.make<void>()
      const reached = yield* Deferred.make<void>()
      behind.before = Effect.andThen(Deferred.succeed(reached, undefined), Deferred.await(gate))
      const early = yield* Effect.forkChild(met())
      yield* Deferred.await(reached)
      yield* keys.revoke(key.id)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(early)
      assert.strictEqual(yield* met(), "KeyRevoked")
    })
  )

  it.effect("the revocation or rotation of a key fails if the key is missing or belongs to another organization", () =>
    Effect.gen(function* () {
      const { key, keys, met } = yield* issueTestKey()
      assert.strictEqual((yield* Effect.flip(keys.revoke(makeTestUuid(9))))._tag, "ApiKeyNotFound")
      const stranger = { organizationId: makeTestUuid<OrganizationId>(9), by: "dashboard:eve" }
      assert.strictEqual((yield* Effect.flip(keys.revoke(key.id, stranger)))._tag, "ApiKeyNotFound")
      assert.strictEqual((yield* Effect.flip(keys.rotate(key.id, Duration.zero, stranger)))._tag, "ApiKeyNotFound")
      assert.strictEqual((yield* Effect.flip(keys.find(stranger.organizationId, key.id)))._tag, "ApiKeyNotFound")
      assert.strictEqual(yield* met(), "Server")
    })
  )
})

describe("a rotated key", () => {
  const manager = { organizationId: acmeOrganizationId, by: "dashboard:ada" }

  it.effect(
    "a rotated key and its successor both work during the grace period, and then the rotated key is revoked",
    () =>
      Effect.gen(function* () {
        const { behind, key, keys, met } = yield* issueTestKey()
        assert.strictEqual(yield* met(), "Server")
        yield* TestClock.adjust("1 second")
        const { fullKey, key: successor, predecessor } = yield* keys.rotate(key.id, Duration.hours(1), manager)
        assert.strictEqual(predecessor.revokedAt, 3_601_000)
        assert.strictEqual(successor.lineageId, key.id)
        assert.deepStrictEqual((yield* keys.authenticate(Redacted.value(fullKey), allowedAddress)).key, successor)
        assert.strictEqual(yield* met(), "Server")
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* met(), "KeyRevoked")
        assert.deepInclude(behind.record[1], { action: "key.rotated", subject: key.id })
        assert.deepInclude(behind.record[1]?.details, { by: "dashboard:ada", successor: successor.id })
      })
  )

  it.effect(
    "a rotated key is rejected on the next request if it has no grace period or is revoked during the grace period",
    () =>
      Effect.gen(function* () {
        for (const grace of [Duration.zero, Duration.hours(1)]) {
          const { key, keys, met } = yield* issueTestKey()
          assert.strictEqual(yield* met(), "Server")
          yield* keys.rotate(key.id, grace, manager)
          if (Duration.toMillis(grace) > 0) yield* keys.revoke(key.id, manager)
          assert.strictEqual(yield* met(), "KeyRevoked")
        }
      })
  )
})
