/** Tests the guarantees of the PersonaStore port together with the PersonaRegistry port. */
import { assert, describe } from "@effect/vitest"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import type { License } from "@partner-commentary/core/persona/License"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  day,
  hour,
  makeLicense,
  makeOrganization,
  makeOrganizationId,
  makePersona,
  makePersonaId,
  start
} from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"
import * as PersonaReadingSuite from "./PersonaReadingSuite.ts"

type Stores = PersonaStore | PersonaRegistry | OrganizationRegistry

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  PersonaReadingSuite.suite(name, layer, {
    publish: (persona) => PersonaRegistry.use(({ insert }) => insert(persona)),
    license: (organizationId, personaId, until) =>
      PersonaRegistry.use(({ grant }) => grant(makeLicense({ organizationId, personaId, until }))),
    organization: Effect.gen(function* () {
      const owner = makeOrganization()
      yield* (yield* OrganizationRegistry).insert(owner)
      return owner.id
    })
  })

  describe(`${name}: PersonaStore`, () => {
    const it = makeGuaranteeTest(layer)

    it("a persona is found with the data of its publication", () =>
      Effect.gen(function* () {
        const store = yield* PersonaStore
        const registry = yield* PersonaRegistry
        const full = makePersona({ name: "Zoë “Z” 🏆", bio: "line\nline" })
        const bare = makePersona({
          imageUrl: "",
          bio: "",
          expertise: [],
          socialLinks: {},
          creator: { name: "", email: "x@y.z" }
        })
        for (const one of [full, bare]) {
          yield* registry.insert(one)
          assert.deepStrictEqual(yield* store.find(one.id), Option.some(one))
        }
        assert.isTrue(Option.isNone(yield* store.find(makePersonaId())))
      }))

    it("concurrent changes of a persona run one after the other, each on the result of the previous change", () =>
      Effect.gen(function* () {
        const store = yield* PersonaStore
        const registry = yield* PersonaRegistry
        const one = makePersona({ expertise: [] })
        yield* registry.insert(one)
        yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => `${index}`),
          (name) => registry.update(one.id, (present) => ({ ...present, expertise: [...present.expertise, name] })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(Option.getOrThrow(yield* store.find(one.id)).expertise.length, 20)
        const moved = yield* registry.update(one.id, (present) => ({
          ...present,
          creator: { name: "New", email: "NEW@example.org" }
        }))
        assert.deepStrictEqual(moved, yield* store.find(one.id))
        assert.deepStrictEqual(yield* registry.byCreator("new@EXAMPLE.org"), Option.toArray(moved))
        assert.deepStrictEqual(yield* registry.byCreator(one.creator.email), [])
        assert.isTrue(Option.isNone(yield* registry.update(makePersonaId(), (present) => present)))
      }))

    it("personas are listed oldest first", () =>
      Effect.gen(function* () {
        const registry = yield* PersonaRegistry
        const [late, early] = [makePersona({ createdAt: start + hour }), makePersona()]
        yield* registry.insert(late)
        yield* registry.insert(early)
        assert.deepStrictEqual(yield* registry.list, [early, late])
      }))

    it("a licence is valid from its grant until its exact end", () =>
      Effect.gen(function* () {
        const store = yield* PersonaStore
        const { grant, mine, one } = yield* licensed({ until: start + day })
        assert.deepStrictEqual(yield* store.licensedAmong(mine, [one.id], start + day - 1), [one])
        assert.deepStrictEqual(yield* store.licensedAmong(mine, [one.id], start + day), [])
        assert.deepStrictEqual(yield* store.licensed(mine, start + day - 1), [one])
        assert.deepStrictEqual(yield* store.licensed(mine, start + day), [])
        yield* grant({ until: null })
        assert.deepStrictEqual(yield* store.licensed(mine, start + 100 * day), [one])
      }))

    it("a revoked licence ends immediately, keeps the time of its first revocation, and can be granted again", () =>
      Effect.gen(function* () {
        const store = yield* PersonaStore
        const registry = yield* PersonaRegistry
        const { grant, mine, one } = yield* licensed({})
        const revoked = yield* registry.revoke(mine, one.id, start + hour)
        const expected = makeLicense({ organizationId: mine, personaId: one.id, revokedAt: start + hour })
        assert.deepStrictEqual(revoked, Option.some(expected))
        assert.deepStrictEqual(yield* registry.revoke(mine, one.id, start + day), revoked)
        assert.deepStrictEqual(yield* store.licensed(mine, start + hour), [])
        assert.deepStrictEqual(yield* store.licensedAmong(mine, [one.id], start + hour), [])
        assert.isTrue(yield* grant({ grantedAt: start + day }))
        assert.deepStrictEqual(yield* store.licensed(mine, start + day), [one])
        assert.deepStrictEqual(yield* registry.licenses(mine), [
          { ...expected, grantedAt: start + day, revokedAt: null, personaName: one.name }
        ])
        assert.isTrue(Option.isNone(yield* registry.revoke(makeOrganizationId(), one.id, start)))
      }))

    it("a licence for an unknown organization or persona is rejected", () =>
      Effect.gen(function* () {
        const registry = yield* PersonaRegistry
        const { mine, one } = yield* licensed({})
        assert.isFalse(yield* registry.grant(makeLicense({ organizationId: mine })))
        assert.isFalse(yield* registry.grant(makeLicense({ personaId: one.id })))
        assert.strictEqual((yield* registry.licenses(mine)).length, 1)
      }))
  })
}

/** Creates an organization with a licence for a persona. */
const licensed = Effect.fnUntraced(function* (terms: Partial<License>) {
  const registry = yield* PersonaRegistry
  const organizations = yield* OrganizationRegistry
  const owner = makeOrganization()
  const one = makePersona({ name: "Bo" })
  yield* organizations.insert(owner)
  yield* registry.insert(one)
  const grant = (changes: Partial<License>) =>
    registry.grant(makeLicense({ organizationId: owner.id, personaId: one.id, ...changes }))
  assert.isTrue(yield* grant(terms))
  return { grant, mine: owner.id, one }
})
