/** Tests the documented decisions about topic metadata: the allowed values, and the metadata in responses. */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { layerOfServiceUnderTest, seedPartner, submitTopicWithStates } from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"

/** Returns a function that sends a topic with the given JSON text as metadata. */
const setUp = Effect.gen(function* () {
  const by = yield* seedPartner()
  const { id } = yield* by.persona()
  let count = 0
  const send = (metadata: string) =>
    by.post("/topics", `{"content":"${content} ${++count}","persona_ids":["${id}"],"metadata":${metadata}}`)
  const taken = (metadata: string) =>
    Effect.map(send(metadata), (answer) => {
      assert.strictEqual(answer.status, 201, answer.text)
      return answer
    })
  const refused = (metadata: string) =>
    Effect.map(send(metadata), (answer) => {
      assert.deepStrictEqual([answer.status, answer.body.error?.code], [400, "invalid_request"], answer.text)
      assert.match(answer.body.error.details.field, /^metadata/)
    })
  return { by, taken, refused }
})

const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`

layer(layerOfServiceUnderTest)("decisions, Contract: metadata", (it) => {
  it.effect("the field metadata accepts a JSON object only", () =>
    Effect.gen(function* () {
      const { refused, taken } = yield* setUp
      assert.deepStrictEqual((yield* taken('{"game":17}')).body.data.metadata, { game: 17 })
      for (const wrong of ["[]", "1", '"x"', "null", "true"]) yield* refused(wrong)
    })
  )

  it.effect("metadata has at most 16 KiB as UTF-8 JSON", () =>
    Effect.gen(function* () {
      const { refused, taken } = yield* setUp
      const sized = (bytes: number, character: string) =>
        JSON.stringify({ m: character.repeat((bytes - 8) / Buffer.byteLength(character)) })
      for (const character of ["x", "é", "🏀"]) {
        const full = sized(16 * 1024, character)
        assert.strictEqual(Buffer.byteLength(full), 16 * 1024)
        yield* taken(full)
        yield* refused(sized(16 * 1024 + Buffer.byteLength(character), character))
      }
    })
  )

  it.effect("metadata in a response is equal to the sent JSON, with the same order of keys", () =>
    Effect.gen(function* () {
      const { by, taken } = yield* setUp
      const metadata =
        '{"zebra":1,"apple":{"y":[1,2.5,-3e-7,null,true],"b":""},"Mango":"ü 🏀 \\" \\\\","__proto__":{"x":1},"":0}'
      const created = yield* taken(metadata)
      const detail = yield* by.get(`/topics/${created.body.data.topic_id}`)
      for (const answer of [created, detail])
        assert.include(answer.text, `"metadata":${JSON.stringify(JSON.parse(metadata))}`)
    })
  )

  it.effect("metadata that is nested deeper than 32 levels is refused with 400", () =>
    Effect.gen(function* () {
      const { refused, taken } = yield* setUp
      yield* taken(nested(32))
      yield* refused(nested(33))
    })
  )

  it.effect("metadata with numbers that a double cannot represent is refused with 400", () =>
    Effect.gen(function* () {
      const { refused, taken } = yield* setUp
      yield* taken('{"a":9007199254740992,"b":0.1,"c":1.50,"d":1e300}')
      for (const number of ["9007199254740993", "12345678901234567890", "0.12345678901234567890123", "1e400", "1e-400"])
        yield* refused(`{"a":${number}}`)
    })
  )

  it.effect("metadata with lone surrogates is refused with 400", () =>
    Effect.gen(function* () {
      const { refused, taken } = yield* setUp
      yield* taken('{"a":"\\ud83c\\udfc0"}')
      for (const text of ['{"a":"\\ud83c"}', '{"a":["x\\udfc0"]}', '{"\\ud83c":1}']) yield* refused(text)
    })
  )

  it.effect("metadata with duplicate keys is refused with 400", () =>
    Effect.gen(function* () {
      const { refused, taken } = yield* setUp
      yield* taken('{"a":{"b":1},"b":{"b":2}}')
      for (const text of ['{"a":1,"a":1}', '{"x":{"a":1,"b":2,"a":3}}', '{"a":1,"\\u0061":2}']) yield* refused(text)
    })
  )

  it.effect("the metadata of a topic is returned by create, detail and by-reference", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const metadata = { game: 17, tags: ["a"] }
      const { id, topic } = yield* submitTopicWithStates(by, content, ["topic_sent"], {
        metadata,
        external_reference: "game-17"
      })
      const detail = (yield* by.get(`/topics/${id}`)).body.data
      const lookup = (yield* by.get("/topics/by-reference/game-17")).body.data
      for (const each of [topic, detail, lookup]) assert.deepStrictEqual(each.metadata, metadata)
    })
  )

  it.effect("the metadata of a topic is {} if the partner sent no metadata", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id, topic } = yield* submitTopicWithStates(by, content, ["topic_sent"], { external_reference: "game-17" })
      const detail = (yield* by.get(`/topics/${id}`)).body.data
      const lookup = (yield* by.get("/topics/by-reference/game-17")).body.data
      for (const each of [topic, detail, lookup]) assert.deepStrictEqual(each.metadata, {})
    })
  )
})
