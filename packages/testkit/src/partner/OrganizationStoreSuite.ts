/** Tests the guarantees of the OrganizationStore port together with the OrganizationRegistry port. */
import { assert, describe } from "@effect/vitest"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { hour, makeOrganization, makeOrganizationId, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"
import * as OrganizationReadingSuite from "./OrganizationReadingSuite.ts"

type Stores = OrganizationStore | OrganizationRegistry

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  OrganizationReadingSuite.suite(name, layer, {
    register: (organization) => OrganizationRegistry.use(({ insert }) => insert(organization))
  })

  describe(`${name}: OrganizationStore`, () => {
    const it = makeGuaranteeTest(layer)

    it("an organization is found with the data of its registration", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        const registry = yield* OrganizationRegistry
        const full = makeOrganization({
          plan: "premium",
          limits: { requests_per_hour: 7, topics_per_month: 0 },
          identityId: "auth|1",
          suspendedAt: start + hour
        })
        const bare = makeOrganization({ contactEmail: null })
        for (const one of [full, bare]) {
          yield* registry.insert(one)
          assert.deepStrictEqual(yield* store.find(one.id), Option.some(one))
        }
        assert.deepStrictEqual(yield* store.findByIdentity("auth|1"), Option.some(full))
      }))

    it("concurrent changes of an organization run one after the other, each on the result of the previous change", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        const registry = yield* OrganizationRegistry
        const one = makeOrganization({ limits: { topics_per_month: 0 } })
        yield* registry.insert(one)
        yield* Effect.forEach(
          Array.from({ length: 20 }),
          () =>
            registry.update(one.id, (present) => ({
              ...present,
              limits: { topics_per_month: (present.limits.topics_per_month ?? 0) + 1 }
            })),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(yield* store.find(one.id), Option.some({ ...one, limits: { topics_per_month: 20 } }))
        assert.isTrue(Option.isNone(yield* registry.update(makeOrganizationId(), (present) => present)))
      }))

    it("two organizations cannot have the same identity id, and the rejected change has no effect", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        const registry = yield* OrganizationRegistry
        const [first, second, third] = [
          makeOrganization({ identityId: "auth|1" }),
          makeOrganization(),
          makeOrganization()
        ]
        yield* registry.insert(first)
        yield* registry.insert(second)
        const refused = yield* Effect.flip(registry.insert({ ...third, identityId: "auth|1" }))
        assert.deepInclude(refused, { _tag: "IdentityTaken", identityId: "auth|1" })
        assert.isTrue(Option.isNone(yield* store.find(third.id)))
        const clash = yield* Effect.flip(
          registry.update(second.id, (one) => ({ ...one, name: "x", identityId: "auth|1" }))
        )
        assert.deepInclude(clash, { _tag: "IdentityTaken", identityId: "auth|1" })
        assert.deepStrictEqual(yield* store.find(second.id), Option.some(second))
        yield* registry.update(first.id, (one) => ({ ...one, name: "Renamed" }))
      }))

    it("an identity id must differ from every organization's id, because a token could otherwise name two organizations", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        const registry = yield* OrganizationRegistry
        const [victim, other] = [makeOrganization(), makeOrganization()]
        yield* registry.insert(victim)
        for (const identityId of [victim.id, victim.id.toUpperCase()]) {
          const refused = yield* Effect.flip(registry.insert({ ...other, identityId }))
          assert.deepInclude(refused, { _tag: "IdentityTaken", identityId })
        }
        yield* registry.insert(other)
        const clash = yield* Effect.flip(registry.update(other.id, (one) => ({ ...one, identityId: victim.id })))
        assert.strictEqual(clash._tag, "IdentityTaken")
        assert.deepStrictEqual(yield* store.find(other.id), Option.some(other))
        yield* registry.update(other.id, (one) => ({ ...one, identityId: other.id }))
      }))

    it("organizations are listed oldest first", () =>
      Effect.gen(function* () {
        const registry = yield* OrganizationRegistry
        const [late, early] = [makeOrganization({ createdAt: start + hour }), makeOrganization()]
        yield* registry.insert(late)
        yield* registry.insert(early)
        assert.deepStrictEqual(yield* registry.list, [early, late])
      }))
  })
}
