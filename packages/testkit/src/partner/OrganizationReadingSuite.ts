/** What every OrganizationStore promises of what it reads, wherever that is kept: which partner it is, by what name, and whether it is suspended. */
import { assert, describe } from "@effect/vitest"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { OrganizationId, parse } from "@partner-commentary/core/shared/Ids"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { hour, organization, organizationId, start } from "../support/Fixtures.ts"
import { guarantees } from "../support/Guarantee.ts"

/** How organizations come to where the store reads them. */
export interface Kept<E, R> {
  /** Its plan and limits may be the same for all where the host keeps none. */
  readonly register: (organization: Organization) => Effect.Effect<unknown, E, R>
  /** An organization as your tables have theirs today, with a key in their spelling; answers with its identity id. */
  readonly existing?: Effect.Effect<string, E, R>
}

export const suite = <R, E, E2>(
  name: string,
  layer: Layer.Layer<OrganizationStore | R, E>,
  kept: Kept<E2, R>
): void => {
  describe(`${name}: OrganizationStore, reading`, () => {
    const it = guarantees(layer)

    it("an organization is found by its id, as it is kept; another is not", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        const [one, unnamed] = [organization({ name: "Zoë “Z” 🏆", identityId: "auth|1" }), organization()]
        yield* kept.register(one)
        yield* kept.register(unnamed)
        for (const each of [one, unnamed]) {
          assert.deepStrictEqual(yield* store.find(each.id), Option.some(each))
        }
        assert.isTrue(Option.isNone(yield* store.find(organizationId())))
      }))

    it("its identity id finds it in that very spelling, and nothing else does", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        const [one, other] = [organization({ identityId: "auth|One" }), organization({ identityId: "auth|Two" })]
        for (const each of [one, other, organization()]) yield* kept.register(each)
        assert.deepStrictEqual(yield* store.findByIdentity("auth|One"), Option.some(one))
        assert.deepStrictEqual(yield* store.findByIdentity("auth|Two"), Option.some(other))
        for (const text of [...spellings, one.id, one.name]) {
          assert.isTrue(Option.isNone(yield* store.findByIdentity(text)), `"${text}" finds somebody`)
        }
      }))

    it("a suspended organization is found all the same, and says since when it is", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        const one = organization({ identityId: "auth|1", suspendedAt: start - hour })
        yield* kept.register(one)
        assert.deepStrictEqual(yield* store.find(one.id), Option.some(one))
        assert.deepStrictEqual(yield* store.findByIdentity("auth|1"), Option.some(one))
      }))

    it("whatever an identity id finds is found by the id that keys and topics name it with: a UUID in lower case", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        yield* kept.register(organization({ identityId: "auth|1" }))
        const identities = ["auth|1", ...(kept.existing === undefined ? [] : [yield* kept.existing])]
        for (const identity of identities) {
          const { id } = Option.getOrThrow(yield* store.findByIdentity(identity))
          assert.deepStrictEqual(parse(OrganizationId, id), Option.some(id), `${id} is no UUID in lower case`)
          const found = Option.map(yield* store.find(id), ({ identityId }) => identityId)
          assert.deepStrictEqual(found, Option.some(identity))
        }
      }))
  })
}

/** None is "auth|One". */
const spellings = ["AUTH|ONE", "auth|one", "auth|One ", " auth|One", "auth|", "auth|%", "auth|On_", "", "null"]
