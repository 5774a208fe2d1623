import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Schema from "effect/Schema"
import { findHeaderProblem, makeJsonTextDecoder } from "../../src/http/Body.ts"

const field = (contentType: string) => findHeaderProblem(Headers.fromInput({ "content-type": contentType }))?.field

describe("Content types of request bodies", () => {
  it("findHeaderProblem accepts every spelling of JSON in UTF-8, and ignores other parameters", () => {
    for (const type of [
      "application/json",
      " Application/JSON ",
      "application/json;charset=utf-8",
      "application/json; charset=UTF8",
      'application/json ; Charset = "utf-8" ; profile="x"',
      "application/json;",
      "application/json; v=1; charset=utf-8; charset=utf-8"
    ]) {
      assert.isUndefined(field(type), type)
    }
  })

  it("findHeaderProblem rejects other charsets and invalid charset parameters", () => {
    for (const charset of [
      "latin1",
      '""',
      "",
      '"utf-8',
      'utf-8"',
      'ut"f-8',
      '"utf-8" x',
      "utf-8=",
      "'utf-8'",
      "utf-16"
    ]) {
      assert.strictEqual(field(`application/json; charset=${charset}`), "content-type", charset)
    }
    assert.strictEqual(field("application/json; charset"), "content-type")
    assert.strictEqual(field("application/json; charset=utf-8; charset=utf-16"), "content-type")
    for (const type of ["", "text/plain", "application/jsonp", "application/json, text/plain"]) {
      assert.strictEqual(field(type), "content-type", type)
    }
  })

  it("findHeaderProblem rejects content types above the length limit", () => {
    const lazy = { length: 16_384, toLowerCase: () => assert.fail("it was read") }
    assert.strictEqual(findHeaderProblem({ "content-type": lazy } as unknown as Headers.Headers)?.field, "content-type")
    assert.strictEqual(field(`application/json; charset=${" ".repeat(16_000)}x`), "content-type")
  })
})

describe("Body decoders", () => {
  const decode = makeJsonTextDecoder(Schema.Struct({ name: Schema.String }))
  const object = (count: number) => `{${Array.from({ length: count }, (_, index) => `"k${index}":0`).join(",")}}`

  it.effect(
    "a body decoder rejects a text with more than 10,000 object members on all levels, without parsing the text",
    () =>
      Effect.gen(function* () {
        const whole = `{"name":"a","other":${object(20_000)}}`
        // The last of the three texts is incomplete JSON. The error is about the number of members, so the decoder has
        // not parsed the text.
        for (const text of [whole, `{"a":${object(6000)},"b":${object(6000)}}`, whole.slice(0, -1)]) {
          assert.deepStrictEqual(yield* Effect.flip(decode(text)), [
            { field: "body", constraint: "must have at most 10,000 members of objects" }
          ])
        }
      })
  )

  it.effect("a body decoder accepts 10,000 object members, long lists, and any number of colons in a string", () =>
    Effect.gen(function* () {
      const name = ":".repeat(20_000)
      const list = Array.from({ length: 20_000 }, () => 0)
      const text = `{"name":"${name}","list":${JSON.stringify(list)},"other":${object(9997)}}`
      assert.deepStrictEqual(yield* decode(text), { name })
    })
  )
})
