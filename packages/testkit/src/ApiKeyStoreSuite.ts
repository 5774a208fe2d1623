/** What every ApiKeyStore promises. */
import { assert, describe } from "@effect/vitest"
import { ApiKeyStore } from "@partner-commentary/core/access/ApiKeyStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { apiKey, day, hour, organizationId, start } from "./Fixtures.ts"
import { guarantees } from "./Guarantee.ts"

export const suite = <E>(name: string, layer: Layer.Layer<ApiKeyStore, E>): void => {
  describe(`${name}: ApiKeyStore`, () => {
    const it = guarantees(layer)

    it("a key is found by its hash, as it was issued", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const full = apiKey({ environment: "test", expiresAt: start + day })
        const bare = apiKey({ ipAllowList: [], scopes: [] })
        yield* store.insert(full, "hash-full")
        yield* store.insert(bare, "hash-bare")
        assert.deepStrictEqual(yield* store.findByHash("hash-full"), Option.some(full))
        assert.deepStrictEqual(yield* store.findByHash("hash-bare"), Option.some(bare))
        assert.isTrue(Option.isNone(yield* store.findByHash("hash-other")))
      }))

    it("a revoked key is still found, and keeps its first moment of revocation", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const key = apiKey()
        yield* store.insert(key, "hash")
        const revoked = { ...key, revokedAt: start + hour }
        assert.deepStrictEqual(yield* store.revoke(key.id, start + hour), Option.some(revoked))
        assert.deepStrictEqual(yield* store.revoke(key.id, start + day), Option.some(revoked))
        assert.deepStrictEqual(yield* store.findByHash("hash"), Option.some(revoked))
        assert.isTrue(Option.isNone(yield* store.revoke(apiKey().id, start)))
      }))

    it("an organization's keys are listed newest first, revoked ones included, nobody else's", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const mine = organizationId()
        const keys = [0, hour, hour].map((age) => apiKey({ organizationId: mine, createdAt: start + age }))
        for (const key of [...keys, apiKey()]) yield* store.insert(key, key.id)
        for (const { id } of keys.slice(0, 1)) yield* store.revoke(id, start)
        const listed = (yield* store.list(mine)).map(({ id }) => id)
        assert.deepStrictEqual(
          listed,
          keys.toReversed().map(({ id }) => id)
        )
        assert.deepStrictEqual(yield* store.list(organizationId()), [])
      }))

    it("the last use of a key moves forward alone", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const [used, idle] = [apiKey(), apiKey()]
        yield* store.insert(used, "hash-used")
        yield* store.insert(idle, "hash-idle")
        yield* store.markUsed([{ id: used.id, at: start + hour }])
        yield* store.markUsed([
          { id: used.id, at: start },
          { id: apiKey().id, at: start }
        ])
        yield* store.markUsed([])
        assert.deepStrictEqual(yield* store.findByHash("hash-used"), Option.some({ ...used, lastUsedAt: start + hour }))
        assert.deepStrictEqual(yield* store.findByHash("hash-idle"), Option.some(idle))
      }))
  })
}
