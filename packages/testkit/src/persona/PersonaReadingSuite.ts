/**
 * Tests the guarantees of the PersonaStore port for reading: personas, and licences with exact ends. An embedder's own
 * PersonaStore must give the same guarantees as the service's store.
 */
import { assert, describe } from "@effect/vitest"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import { type OrganizationId, PersonaId, parse } from "@partner-commentary/core/shared/Ids"
import type { Instant } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { day, makeOrganizationId, makePersona, makePersonaId as randomId, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

/**
 * Creates personas and licences in the tables from which the store reads. The suite uses only fields that every store
 * has.
 */
export interface PersonaTestWriter<E, R> {
  readonly publish: (persona: Persona) => Effect.Effect<unknown, E, R>
  /** The licence is valid from `start` on. The value null means that the licence has no end. */
  readonly license: (
    organization: OrganizationId,
    persona: PersonaId,
    until: Instant | null
  ) => Effect.Effect<unknown, E, R>
  /**
   * Returns new ids in ascending order, for stores that derive ids from their own keys. By default the ids are random
   * UUIDs.
   */
  readonly personaId?: () => PersonaId
  /** The organization that gets the licences. By default, the suite uses a new organization id. */
  readonly organization?: Effect.Effect<OrganizationId, E, R>
  /**
   * Creates a licensed persona in the embedder's tables. The function `existing` is needed only if the keys in the
   * embedder's tables are not lower-case UUIDs.
   */
  readonly existing?: (organization: OrganizationId) => Effect.Effect<unknown, E, R>
}

export const suite = <R, E, E2>(
  name: string,
  layer: Layer.Layer<PersonaStore | R, E>,
  kept: PersonaTestWriter<E2, R>
): void => {
  const organization = kept.organization ?? Effect.sync(makeOrganizationId)
  const personaId = kept.personaId ?? randomId

  const bare = (changes: Partial<Persona> = {}) =>
    makePersona({
      id: personaId(),
      imageUrl: "",
      expertise: [],
      socialLinks: {},
      creator: { name: "Ada N.", email: "ada@example.org" },
      ...changes
    })

  describe(`${name}: PersonaStore, reading`, () => {
    const it = makeGuaranteeTest(layer)

    it("a persona is found only by its exact id, with or without a licence", () =>
      Effect.gen(function* () {
        const store = yield* PersonaStore
        const one = bare({ name: "Zoë “Z” 🏆", bio: "line\nline" })
        yield* kept.publish(one)
        yield* kept.publish(bare())
        assert.deepStrictEqual(found(yield* store.find(one.id)), found(Option.some(one)))
        assert.isTrue(Option.isNone(yield* store.find(personaId())))
      }))

    it("a licence is valid until its exact end, and a licence without an end is valid forever", () =>
      Effect.gen(function* () {
        const store = yield* PersonaStore
        const mine = yield* organization
        const [ending, lasting] = [bare({ name: "Aaron" }), bare({ name: "Bo" })]
        yield* kept.publish(ending)
        yield* kept.publish(lasting)
        yield* kept.license(mine, ending.id, start + day)
        yield* kept.license(mine, lasting.id, null)
        const both = [ending.id, lasting.id]
        const at = Effect.fnUntraced(function* (moment: Instant) {
          const among = ids(yield* store.licensedAmong(mine, both, moment)).toSorted()
          assert.deepStrictEqual(ids(yield* store.licensed(mine, moment)).toSorted(), among)
          return among
        })
        assert.deepStrictEqual(yield* at(start + day - 1), both.toSorted())
        assert.deepStrictEqual(yield* at(start + day), [lasting.id])
        assert.deepStrictEqual(yield* at(start + 10_000 * day), [lasting.id])
      }))

    it("a licence applies only to its own organization, and only requested personas are returned", () =>
      Effect.gen(function* () {
        const store = yield* PersonaStore
        const [mine, theirs] = [yield* organization, yield* organization]
        const [one, other, unlicensed] = [bare(), bare(), bare()]
        for (const each of [one, other, unlicensed]) yield* kept.publish(each)
        yield* kept.license(mine, one.id, null)
        yield* kept.license(mine, other.id, null)
        yield* kept.license(theirs, other.id, null)
        const among = (asked: ReadonlyArray<PersonaId>) => Effect.map(store.licensedAmong(mine, asked, start), ids)
        assert.deepStrictEqual(yield* among([one.id, unlicensed.id, personaId()]), [one.id])
        assert.deepStrictEqual(yield* among([]), [])
        assert.deepStrictEqual(ids(yield* store.licensed(theirs, start)), [other.id])
        assert.deepStrictEqual(yield* store.licensed(makeOrganizationId(), start), [])
      }))

    it("a persona with several licences of an organization is returned once", () =>
      Effect.gen(function* () {
        const store = yield* PersonaStore
        const mine = yield* organization
        const one = bare()
        yield* kept.publish(one)
        yield* kept.license(mine, one.id, start + day)
        yield* kept.license(mine, one.id, null)
        assert.deepStrictEqual(ids(yield* store.licensed(mine, start)), [one.id])
        assert.deepStrictEqual(ids(yield* store.licensedAmong(mine, [one.id], start)), [one.id])
      }))

    it("every listed persona is found and licensed by its lower-case UUID, which requests use", () =>
      Effect.gen(function* () {
        const store = yield* PersonaStore
        const mine = yield* organization
        const one = bare()
        yield* kept.publish(one)
        yield* kept.license(mine, one.id, null)
        if (kept.existing !== undefined) yield* kept.existing(mine)
        const listed = yield* store.licensed(mine, start)
        assert.lengthOf(listed, kept.existing === undefined ? 1 : 2)
        for (const persona of listed) {
          const requested = parse(PersonaId, persona.id)
          assert.deepStrictEqual(requested, Option.some(persona.id), `${persona.id} is no UUID in lower case`)
          assert.deepStrictEqual(found(yield* store.find(persona.id)), found(Option.some(persona)))
          assert.deepStrictEqual(ids(yield* store.licensedAmong(mine, [persona.id], start)), [persona.id])
        }
      }))

    it("licensed personas are listed by name and then by id, with the same fields as a found persona", () =>
      Effect.gen(function* () {
        const store = yield* PersonaStore
        const mine = yield* organization
        const [zoe, first, second] = [bare({ name: "Zoe" }), bare({ name: "Aaron" }), bare({ name: "Aaron" })]
        for (const each of [zoe, second, first]) {
          yield* kept.publish(each)
          yield* kept.license(mine, each.id, null)
        }
        const listed = yield* store.licensed(mine, start)
        assert.deepStrictEqual(ids(listed), [first.id, second.id, zoe.id])
        for (const each of listed) assert.deepStrictEqual(yield* store.find(each.id), Option.some(each))
      }))
  })
}

const ids = (personas: ReadonlyArray<Persona>) => personas.map(({ id }) => id)

/** A store may write the creator's name and address in another spelling. */
const found = (persona: Option.Option<Persona>) =>
  Option.map(persona, ({ bio, creator: { email }, id, name, createdAt }) => ({
    id,
    name,
    bio,
    email: email.toLowerCase(),
    createdAt
  }))
