/** Tests the guarantees of the ApiKeyStore port. */
import { assert, describe } from "@effect/vitest"
import type { ApiKey } from "@partner-commentary/core/access/ApiKey"
import { ApiKeyStore } from "@partner-commentary/core/access/ApiKeyStore"
import type { AuditEntry } from "@partner-commentary/core/shared/AuditLog"
import type { Instant } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { day, hour, makeApiKey, makeOrganizationId, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

const plenty = 1000

const record = ({ id, organizationId }: ApiKey): AuditEntry => ({
  action: "key.tested",
  subject: id,
  organizationId,
  details: {}
})

const insert = (key: ApiKey, hash: string = key.id, limit = plenty) =>
  Effect.flatMap(ApiKeyStore, (store) => store.insert({ key, hash }, limit, record(key)))

const end = (key: ApiKey, at: Instant, successor: ApiKey | null = null) =>
  Effect.flatMap(ApiKeyStore, (store) =>
    store.modify(key.id, null, (present) =>
      Result.succeed({
        revokedAt: at,
        isRevoked: true,
        successor: successor === null ? null : { key: successor, hash: successor.id },
        record: record(present)
      })
    )
  )

export const suite = <E>(name: string, layer: Layer.Layer<ApiKeyStore, E>): void => {
  describe(`${name}: ApiKeyStore`, () => {
    const it = makeGuaranteeTest(layer)

    it("an issued key is found by its hash, with every field unchanged", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const full = makeApiKey({ environment: "test", expiresAt: start + day })
        const bare = makeApiKey({ ipAllowList: [], scopes: [] })
        yield* insert(full, "hash-full")
        yield* insert(bare, "hash-bare")
        assert.deepStrictEqual(yield* store.findByHash("hash-full"), Option.some(full))
        assert.deepStrictEqual(yield* store.findByHash("hash-bare"), Option.some(bare))
        assert.isTrue(Option.isNone(yield* store.findByHash("hash-other")))
        assert.deepStrictEqual(yield* store.find(full.organizationId, full.id), Option.some(full))
        assert.isTrue(Option.isNone(yield* store.find(bare.organizationId, full.id)))
      }))

    it("a revoked key is still found, so that the service can return a separate error code for it", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const key = makeApiKey()
        yield* insert(key, "hash")
        const revoked = { ...key, revokedAt: start + hour, isRevoked: true }
        assert.deepStrictEqual(yield* end(key, start + hour), Option.some(revoked))
        assert.deepStrictEqual(yield* store.findByHash("hash"), Option.some(revoked))
        const refused = store.modify(key.id, key.organizationId, (present) => Result.fail(present))
        assert.deepStrictEqual(yield* Effect.flip(refused), revoked)
        assert.deepStrictEqual(yield* store.findByHash("hash"), Option.some(revoked))
      }))

    it("a key in its grace period can be revoked even at the exact time at which the grace period ends", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const key = makeApiKey({ revokedAt: start + hour })
        yield* insert(key, "hash")
        assert.deepStrictEqual(yield* store.findByHash("hash"), Option.some(key))
        yield* end(key, start + hour)
        assert.deepStrictEqual(yield* store.findByHash("hash"), Option.some({ ...key, isRevoked: true }))
      }))

    it("changing a missing key or another organization's key has no effect", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const key = makeApiKey()
        yield* insert(key)
        const undecided = () => assert.fail("nothing is there to decide about")
        assert.isTrue(Option.isNone(yield* store.modify(makeApiKey().id, null, undecided)))
        assert.isTrue(Option.isNone(yield* store.modify(key.id, makeOrganizationId(), undecided)))
      }))

    it("a successor key is stored together with the end of its predecessor, or neither change is stored", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const [key, other] = [makeApiKey(), makeApiKey()]
        yield* insert(key)
        yield* insert(other)
        const successor = makeApiKey({ organizationId: key.organizationId, lineageId: key.lineageId })
        yield* end(key, start + day, successor)
        assert.deepStrictEqual(yield* store.findByHash(successor.id), Option.some(successor))
        const clash = { ...makeApiKey(), id: key.id }
        assert.isTrue(Exit.isFailure(yield* Effect.exit(end(other, start, clash))))
        assert.deepStrictEqual(yield* store.findByHash(other.id), Option.some(other))
      }))

    it("concurrent changes of a key run one after the other, and the second change reads the result of the first", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const key = makeApiKey()
        yield* insert(key)
        const once = store.modify(key.id, null, (present) =>
          present.revokedAt === null
            ? Result.succeed({ revokedAt: start, isRevoked: true, successor: null, record: null })
            : Result.fail("ended" as const)
        )
        const exits = yield* Effect.all(
          Array.from({ length: 10 }, () => Effect.exit(once)),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(exits.filter(Exit.isSuccess), 1)
      }))

    it("concurrent inserts never exceed the limit of active keys of an organization in one environment", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const mine = makeOrganizationId()
        const another = (changes: Partial<ApiKey> = {}) => {
          const key = makeApiKey({ organizationId: mine, ...changes })
          return Effect.exit(insert(key, key.id, 5))
        }
        yield* another({ revokedAt: start + day })
        yield* another({ expiresAt: start })
        const exits = yield* Effect.all(
          Array.from({ length: 12 }, () => another()),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(exits.filter(Exit.isSuccess), 5)
        const refused = yield* Effect.flip(insert(makeApiKey({ organizationId: mine }), "one more", 5))
        assert.deepInclude(refused, { _tag: "TooManyKeys", limit: 5 })
        assert.isTrue(Option.isNone(yield* store.findByHash("one more")))
        assert.isTrue(Exit.isSuccess(yield* another({ environment: "test" })))
        assert.isTrue(Exit.isSuccess(yield* another({ organizationId: makeOrganizationId() })))
      }))

    it("an organization's keys are listed newest first, and the list can include keys that ended after a given time", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const mine = makeOrganizationId()
        const key = (changes: Partial<ApiKey>) => makeApiKey({ organizationId: mine, ...changes })
        const listed = [
          key({}),
          key({ createdAt: start + hour, revokedAt: start + hour }),
          key({ createdAt: start + hour, expiresAt: start + hour }),
          key({ createdAt: start + day, revokedAt: start + day, expiresAt: start + 2 * day })
        ]
        const gone = [key({ revokedAt: start + hour - 1 }), key({ expiresAt: start, revokedAt: start + day })]
        for (const one of [...listed, ...gone, makeApiKey()]) yield* insert(one)
        assert.deepStrictEqual(yield* store.list(mine, start + hour, 10), listed.toReversed())
        assert.deepStrictEqual(yield* store.list(mine, start + hour, 2), listed.toReversed().slice(0, 2))
        assert.lengthOf(yield* store.list(mine, 0, 10), 6)
        assert.deepStrictEqual(yield* store.list(makeOrganizationId(), 0, 10), [])
      }))

    it("the time of a key's last use never moves back", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const [used, idle] = [makeApiKey(), makeApiKey()]
        yield* insert(used, "hash-used")
        yield* insert(idle, "hash-idle")
        yield* store.markUsed([{ id: used.id, at: start + hour }])
        yield* store.markUsed([
          { id: used.id, at: start },
          { id: makeApiKey().id, at: start }
        ])
        yield* store.markUsed([])
        assert.deepStrictEqual(yield* store.findByHash("hash-used"), Option.some({ ...used, lastUsedAt: start + hour }))
        assert.deepStrictEqual(yield* store.findByHash("hash-idle"), Option.some(idle))
      }))
  })
}
