/** Tests section 4 of the specification for POST /topics: the request fields, the response and the errors. */
import { assert, layer } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  layerOfServiceUnderTest,
  seedPartner,
  sendRequest,
  submitTopicWithStates,
  waitForCreatorMails
} from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"
const unlicensed = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"

/**
 * Creates a partner with a persona. The helpers send a valid body with changes, and return the response or the refused
 * field.
 */
const setUp = Effect.gen(function* () {
  const by = yield* seedPartner()
  const persona = yield* by.persona()
  let count = 0
  const body = (changes: object) => ({ content: `${content} ${++count}`, persona_ids: [persona.id], ...changes })
  const post = (changes: object) => by.post("/topics", body(changes))
  const taken = (changes: object) =>
    Effect.map(post(changes), (answer) => {
      assert.strictEqual(answer.status, 201, answer.text)
      return answer.body.data
    })
  const refused = (changes: object) =>
    Effect.map(post(changes), (answer) => {
      assert.deepStrictEqual([answer.status, answer.body.error?.code], [400, "invalid_request"], answer.text)
      return answer.body.error.details.field as string
    })
  return { by, persona, body, taken, refused }
})

layer(layerOfServiceUnderTest)("specification 4: POST /topics", (it) => {
  it.effect("POST /topics authenticates with the X-Api-Key header", () =>
    Effect.gen(function* () {
      const { body, by } = yield* setUp
      for (const headers of [{}, { authorization: `Bearer ${by.key}` }, { "x-api-key": `${by.key}x` }]) {
        const answer = yield* sendRequest("/partner/v1/topics", { method: "POST", body: body({}), headers })
        assert.deepStrictEqual([answer.status, answer.body.error.code], [401, "unauthorized"])
      }
      const answer = yield* sendRequest("/partner/v1/topics", {
        method: "POST",
        body: body({}),
        headers: { "X-API-KEY": by.key }
      })
      assert.strictEqual(answer.status, 201)
    })
  )

  it.effect("POST /topics creates a topic and sends it to the chosen personas", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const [chosen, other] = [yield* by.persona(), yield* by.persona()]
      const { topic_id } = yield* by.submit(content, [chosen])
      assert.strictEqual((yield* waitForCreatorMails(chosen, content)).length, 1)
      const { body } = yield* by.get(`/topics/${topic_id}`)
      assert.strictEqual(body.data.content, content)
      assert.strictEqual(body.data.commentaries.length, 1)
      assert.notInclude(JSON.stringify(body), other.id)
    })
  )

  it.effect("POST /topics requires the scope topics:submit", () =>
    Effect.gen(function* () {
      const { body, by } = yield* setUp
      const { text: only } = yield* Seed.issueApiKey(by.organization, { scopes: ["topics:submit"] })
      const { text: others } = yield* Seed.issueApiKey(by.organization, {
        scopes: ["topics:read", "personas:read", "usage:read"]
      })
      assert.strictEqual((yield* by.post("/topics", body({}), { key: only })).status, 201)
      const denied = yield* by.post("/topics", body({}), { key: others })
      assert.deepStrictEqual([denied.status, denied.body.error.code], [401, "scope_denied"])
    })
  )

  it.effect("the field content of a topic is a required string whose length is limited by section 8", () =>
    Effect.gen(function* () {
      const { refused, taken } = yield* setUp
      for (const wrong of [undefined, null, 12345678901, true, [content], { text: content }, "too short"])
        assert.strictEqual(yield* refused({ content: wrong }), "content")
      assert.strictEqual((yield* taken({ content: "ten chars!" })).content, "ten chars!")
      assert.strictEqual((yield* taken({ content: "x".repeat(100) })).content, "x".repeat(100))
    })
  )

  it.effect("the field persona_ids is a required array of at least one persona UUID", () =>
    Effect.gen(function* () {
      const { persona, refused, taken } = yield* setUp
      for (const wrong of [undefined, null, [], persona.id, { 0: persona.id }])
        assert.strictEqual(yield* refused({ persona_ids: wrong }), "persona_ids")
      for (const wrong of ["ada", 1, null, ""])
        assert.strictEqual(yield* refused({ persona_ids: [persona.id, wrong] }), "persona_ids[1]")
      assert.strictEqual((yield* taken({})).personas_sent, 1)
    })
  )

  it.effect("the personas in persona_ids need an active license", () =>
    Effect.gen(function* () {
      const { by, taken } = yield* setUp
      const ended = yield* Seed.createPersona(null)
      yield* Seed.licensePersona(by.organization, ended, (yield* Clock.currentTimeMillis) - 1)
      const active = yield* by.persona()
      const { results } = yield* taken({ persona_ids: [ended.id, active.id] })
      assert.deepStrictEqual(
        results.map(({ status }: { readonly status: string }) => status),
        ["not_licensed", "sent"]
      )
    })
  )

  it.effect("the field external_reference is an optional string of at most 256 characters", () =>
    Effect.gen(function* () {
      const { refused, taken } = yield* setUp
      yield* taken({})
      assert.strictEqual((yield* taken({ external_reference: "r".repeat(256) })).external_reference.length, 256)
      for (const wrong of ["r".repeat(257), 1, null, ["r"]])
        assert.strictEqual(yield* refused({ external_reference: wrong }), "external_reference")
    })
  )

  it.effect("the field external_reference allows letters, digits and -, _, ., :", () =>
    Effect.gen(function* () {
      const { by, refused, taken } = yield* setUp
      const all = "ABCXYZabcxyz0189-_.:"
      assert.strictEqual((yield* taken({ external_reference: all })).external_reference, all)
      assert.strictEqual((yield* by.get(`/topics/by-reference/${all}`)).body.data.external_reference, all)
      for (const wrong of ["a b", "a/b", "a+b", "a~b", "a%b", "a,b", "a\n", " a", "a#b", "a@b", "(a)"])
        assert.strictEqual(yield* refused({ external_reference: wrong }), "external_reference", wrong)
    })
  )

  it.effect("external_reference is case-sensitive", () =>
    Effect.gen(function* () {
      const { by, taken } = yield* setUp
      const upper = yield* taken({ external_reference: "Game-A" })
      const lower = yield* taken({ external_reference: "game-a" })
      assert.strictEqual((yield* by.get("/topics/by-reference/Game-A")).body.data.topic_id, upper.topic_id)
      assert.strictEqual((yield* by.get("/topics/by-reference/game-a")).body.data.topic_id, lower.topic_id)
      assert.strictEqual((yield* by.get("/topics/by-reference/GAME-A")).status, 404)
    })
  )

  it.effect("the field output_types is an optional array of the strings text, audio and video", () =>
    Effect.gen(function* () {
      const { refused, taken } = yield* setUp
      for (const right of [["text"], ["audio"], ["video"], ["text", "audio", "video"]])
        yield* taken({ output_types: right })
      for (const wrong of [["hologram"], ["Text"], [1], [null]])
        assert.strictEqual(yield* refused({ output_types: wrong }), "output_types[0]", JSON.stringify(wrong))
      for (const wrong of ["text", null, {}])
        assert.strictEqual(yield* refused({ output_types: wrong }), "output_types")
    })
  )

  it.effect('the field output_types defaults to ["text"]: the commentary has a text, and neither audio nor video', () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* submitTopicWithStates(by, content, ["creator_approved"])
      const [entry] = (yield* by.get(`/topics/${id}/commentaries`)).body.data.commentaries
      assert.match(entry.content, /./)
      assert.deepStrictEqual([entry.audio_url, entry.video_url], [null, null])
    })
  )

  it.effect("custom metadata is an optional object that responses return", () =>
    Effect.gen(function* () {
      const { by, refused, taken } = yield* setUp
      const metadata = { game: 17, tags: ["a", null], nested: { deep: true } }
      const { topic_id } = yield* taken({ metadata, external_reference: "game-17" })
      assert.deepStrictEqual((yield* by.get("/topics/by-reference/game-17")).body.data.metadata, metadata)
      assert.deepStrictEqual((yield* by.get(`/topics/${topic_id}`)).body.data.metadata, metadata)
      for (const wrong of [null, "x", 1, true, ["x"]])
        assert.strictEqual(yield* refused({ metadata: wrong }), "metadata")
    })
  )

  it.effect(
    "the result sent means that the creator is notified, and not_licensed means that there is no active license",
    () =>
      Effect.gen(function* () {
        const { by, persona, taken } = yield* setUp
        const { content: said, personas_sent, results } = yield* taken({ persona_ids: [persona.id, unlicensed] })
        assert.strictEqual(personas_sent, 1)
        assert.deepInclude(results[0], { persona_id: persona.id, status: "sent" })
        assert.deepStrictEqual(results[1], { persona_id: unlicensed, status: "not_licensed" })
        assert.strictEqual((yield* waitForCreatorMails(persona, said))[0]?.to.address, persona.creator.email)
        assert.strictEqual((yield* by.get("/topics")).body.data[0].total_personas, 1)
      })
  )

  it.effect("a persona's result is `duplicate` if the same topic was sent to this persona in the last 24 hours", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const [asked, fresh, other] = [yield* by.persona(), yield* by.persona(), yield* by.persona()]
      yield* by.submit(content, [asked])
      yield* TestClock.adjust("23 hours")
      const within = yield* by.submit(content, [asked, fresh])
      yield* TestClock.adjust("1 hour")
      const after = yield* by.submit(content, [asked, other])
      assert.deepStrictEqual(
        [within, after].map(({ results }) => results.map(({ status }: { readonly status: string }) => status)),
        [
          ["duplicate", "sent"],
          ["sent", "sent"]
        ]
      )
    })
  )

  it.effect("an invalid submission, for example without a persona id, gets 400 invalid_request", () =>
    Effect.gen(function* () {
      const { by } = yield* setUp
      const { body, status } = yield* by.post("/topics", { content, persona_ids: [] })
      assert.deepStrictEqual([status, body.error.code], [400, "invalid_request"])
      assert.strictEqual(body.error.details.field, "persona_ids")
      assert.isString(body.error.details.constraint)
    })
  )

  it.effect(
    "a submission that reaches no persona gets no_valid_personas, and its details are an array of {persona_id, status}",
    () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const asked = yield* by.persona()
        yield* by.submit(content, [asked])
        const { body } = yield* by.post("/topics", { content, persona_ids: [unlicensed, asked.id] })
        assert.strictEqual(body.error.code, "no_valid_personas")
        assert.deepStrictEqual(
          body.error.details.map(({ persona_id, status }: Readonly<Record<string, unknown>>) => [persona_id, status]),
          [
            [unlicensed, "not_licensed"],
            [asked.id, "duplicate"]
          ]
        )
      })
  )
})
