/**
 * Tests the guarantees of the OrganizationStore port for reading: identity, name and suspension. An embedder's own
 * OrganizationStore must give the same guarantees as the service's store.
 */
import { assert, describe } from "@effect/vitest"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { OrganizationId, parse } from "@partner-commentary/core/shared/Ids"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { hour, makeOrganization, makeOrganizationId, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

/** Creates organizations in the tables from which the store reads. */
export interface OrganizationTestWriter<E, R> {
  /** Plan and limits may be constants if the embedder's tables do not contain them. */
  readonly register: (organization: Organization) => Effect.Effect<unknown, E, R>
  /**
   * Creates an organization in the embedder's tables, with a key in the embedder's spelling. Returns the organization's
   * identity id.
   */
  readonly existing?: Effect.Effect<string, E, R>
}

export const suite = <R, E, E2>(
  name: string,
  layer: Layer.Layer<OrganizationStore | R, E>,
  kept: OrganizationTestWriter<E2, R>
): void => {
  describe(`${name}: OrganizationStore, reading`, () => {
    const it = makeGuaranteeTest(layer)

    it("an organization is found only by its exact id", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        const [one, unnamed] = [makeOrganization({ name: "Zoë “Z” 🏆", identityId: "auth|1" }), makeOrganization()]
        yield* kept.register(one)
        yield* kept.register(unnamed)
        for (const each of [one, unnamed]) {
          assert.deepStrictEqual(yield* store.find(each.id), Option.some(each))
        }
        assert.isTrue(Option.isNone(yield* store.find(makeOrganizationId())))
      }))

    it("an organization is found only by its exact identity id", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        const [one, other] = [
          makeOrganization({ identityId: "auth|One" }),
          makeOrganization({ identityId: "auth|Two" })
        ]
        for (const each of [one, other, makeOrganization()]) yield* kept.register(each)
        assert.deepStrictEqual(yield* store.findByIdentity("auth|One"), Option.some(one))
        assert.deepStrictEqual(yield* store.findByIdentity("auth|Two"), Option.some(other))
        for (const text of [...spellings, one.id, one.name]) {
          assert.isTrue(Option.isNone(yield* store.findByIdentity(text)), `"${text}" finds somebody`)
        }
      }))

    it("a suspended organization is found with the time of its suspension", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        const one = makeOrganization({ identityId: "auth|1", suspendedAt: start - hour })
        yield* kept.register(one)
        assert.deepStrictEqual(yield* store.find(one.id), Option.some(one))
        assert.deepStrictEqual(yield* store.findByIdentity("auth|1"), Option.some(one))
      }))

    it("an organization that is found by its identity id is also found by its lower-case UUID, which keys and topics use", () =>
      Effect.gen(function* () {
        const store = yield* OrganizationStore
        yield* kept.register(makeOrganization({ identityId: "auth|1" }))
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

/** Ids with which a lookup must not find the organization "auth|One". */
const spellings = ["AUTH|ONE", "auth|one", "auth|One ", " auth|One", "auth|", "auth|%", "auth|On_", "", "null"]
