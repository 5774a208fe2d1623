import { assert, describe, it } from "@effect/vitest"
import * as Headers from "effect/http/Headers"
import { headerProblem } from "../../src/http/Body.ts"

const field = (contentType: string) => headerProblem(Headers.fromInput({ "content-type": contentType }))?.field

describe("headerProblem", () => {
  it("headerProblem accepts JSON in UTF-8, in any spelling and with other parameters", () => {
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

  it("headerProblem rejects every other charset, and invalid ones", () => {
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

  it("headerProblem limits the length of a content type", () => {
    const lazy = { length: 16_384, toLowerCase: () => assert.fail("it was read") }
    assert.strictEqual(headerProblem({ "content-type": lazy } as unknown as Headers.Headers)?.field, "content-type")
    assert.strictEqual(field(`application/json; charset=${" ".repeat(16_000)}x`), "content-type")
  })
})
