/** Tests that Personas dies with an error if an embedder's store returns a persona with an invalid id. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Persona } from "../../src/persona/Persona.ts"
import { PersonaStore } from "../../src/persona/PersonaStore.ts"
import { Personas } from "../../src/persona/Personas.ts"
import { OrganizationId, PersonaId } from "../../src/shared/Ids.ts"

const owner = {
  organizationId: OrganizationId.make("0198c0de-0000-7000-8000-00000000000a"),
  environment: "live"
} as const
const lower = "0198c0de-0000-7000-8000-00000000000b"

const keeping = (id: string) => {
  const persona: Persona = {
    id: id as PersonaId,
    name: "Ada Vance",
    imageUrl: "",
    bio: "",
    expertise: [],
    socialLinks: {},
    creator: { name: "", email: "ada@host.example" },
    createdAt: 0
  }
  const all = Effect.succeed([persona])
  const store = { find: () => Effect.succeed(Option.some(persona)), licensed: () => all, licensedAmong: () => all }
  return Layer.provide(Personas.layer, Layer.succeed(PersonaStore, store))
}

describe("the personas of an embedder's store", () => {
  for (const id of [lower.toUpperCase(), "17", "", ` ${lower}`, `{${lower}}`]) {
    it.effect(
      `if an embedder's store returns a persona with the invalid id "${id}", the call dies with an error that states the id`,
      () =>
        Effect.gen(function* () {
          const personas = yield* Personas
          for (const asked of [
            Effect.asVoid(personas.list(owner)),
            Effect.asVoid(personas.find(owner, PersonaId.make(lower)))
          ]) {
            const said = String(yield* Effect.exit(asked))
            assert.include(said, `PersonaStore gave a persona with the id "${id}", which no request can name`)
            assert.include(said, "UUID in lower case")
          }
        }).pipe(Effect.provide(keeping(id)))
    )
  }

  it.effect("if an embedder's store returns a persona with a lower-case UUID, the persona is listed and found", () =>
    Effect.gen(function* () {
      const personas = yield* Personas
      assert.lengthOf(yield* personas.list(owner), 1)
      assert.strictEqual((yield* personas.find(owner, PersonaId.make(lower))).name, "Ada Vance")
    }).pipe(Effect.provide(keeping(lower)))
  )
})

describe("the id of a persona", () => {
  it("the id of a persona is valid only if it is a lower-case UUID", () => {
    assert.strictEqual(PersonaId.make(lower), lower)
    for (const text of [lower.toUpperCase(), "17", `${lower}\n`]) assert.throws(() => PersonaId.make(text))
  })
})
