/** Tests section 4 of the specification for GET /personas and GET /personas/{id}. */
import { assert, layer } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import {
  type ApiResponse,
  layerOfServiceUnderTest,
  type SeededPartner,
  seedPartner
} from "../support/conformance/ServiceUnderTest.ts"

const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"

const refusal = ({ body, status }: ApiResponse) => [status, body.error.code]

const ended = Effect.fnUntraced(function* (by: SeededPartner) {
  const persona = yield* Seed.createPersona(null)
  yield* Seed.licensePersona(by.organization, persona, (yield* Clock.currentTimeMillis) - 1)
  return persona
})

const needsPersonasRead = Effect.fnUntraced(function* (path: (id: string) => string) {
  const by = yield* seedPartner()
  const { id } = yield* by.persona()
  const { text: reads } = yield* Seed.issueApiKey(by.organization, { scopes: ["personas:read"] })
  const { text: others } = yield* Seed.issueApiKey(by.organization, {
    scopes: ["topics:submit", "topics:read", "usage:read"]
  })
  assert.strictEqual((yield* by.get(path(id), { key: reads })).status, 200)
  assert.deepStrictEqual(refusal(yield* by.get(path(id), { key: others })), [401, "scope_denied"])
})

layer(layerOfServiceUnderTest)("specification 4: personas", (it) => {
  it.effect("GET /personas lists the personas for which the organization holds active licenses", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const mine = [yield* by.persona({ name: "Ada" }), yield* by.persona({ name: "Bo" })]
      yield* (yield* seedPartner()).persona()
      yield* ended(by)
      const { body, status } = yield* by.get("/personas")
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        body.data.map(({ id }: { readonly id: string }) => id),
        mine.map(({ id }) => id)
      )
    })
  )

  it.effect("GET /personas requires the scope personas:read", () => needsPersonasRead(() => "/personas"))

  it.effect("GET /personas: data is an array of {id, name, image_url}", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id, imageUrl, name } = yield* by.persona()
      assert.deepStrictEqual((yield* by.get("/personas")).body.data, [{ id, name, image_url: imageUrl }])
    })
  )

  it.effect("GET /personas returns an empty array when there are no licenses", () =>
    Effect.gen(function* () {
      const { body, status } = yield* (yield* seedPartner()).get("/personas")
      assert.deepStrictEqual([status, body], [200, { success: true, data: [] }])
    })
  )

  it.effect("GET /personas/{id} returns the full Persona as data", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const socialLinks = { twitter: "https://twitter.example/bo", instagram: "https://instagram.example/bo" }
      const { id } = yield* by.persona({
        name: "Bo Lindqvist",
        imageUrl: "https://images.example/bo.png",
        bio: "Played in goal.",
        expertise: ["hockey", "NHL"],
        socialLinks
      })
      assert.deepStrictEqual((yield* by.get(`/personas/${id}`)).body, {
        success: true,
        data: {
          id,
          name: "Bo Lindqvist",
          image_url: "https://images.example/bo.png",
          bio: "Played in goal.",
          expertise: ["hockey", "NHL"],
          social_links: socialLinks
        }
      })
    })
  )

  it.effect("GET /personas/{id} requires the scope personas:read", () => needsPersonasRead((id) => `/personas/${id}`))

  it.effect("GET /personas/{id} returns 403 not_licensed when there is no active license for the persona", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      for (const { id } of [yield* (yield* seedPartner()).persona(), yield* ended(by)]) {
        const answer = yield* by.get(`/personas/${id}`)
        assert.deepStrictEqual(refusal(answer), [403, "not_licensed"])
        assert.deepStrictEqual(answer.body.error.details, { persona_id: id })
      }
    })
  )

  it.effect("GET /personas/{id} returns 404 not_found when the persona does not exist", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      for (const id of [unknown, "ada"])
        assert.deepStrictEqual(refusal(yield* by.get(`/personas/${id}`)), [404, "not_found"])
    })
  )
})
