import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { parseStrictJson, parseStrictJsonInSteps } from "../../src/http/StrictJson.ts"

const field = (text: string) => {
  const parsed = parseStrictJson(text)
  return Result.isFailure(parsed) ? parsed.failure.field : undefined
}

describe("Strict JSON parser", () => {
  it("the strict JSON parser returns the same value as JSON.parse for any stringified value", () => {
    void fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 10 }), (value) => {
        const text = JSON.stringify(value)
        const parsed = parseStrictJson(text)
        if (Result.isFailure(parsed)) {
          assert.isFalse(text.isWellFormed() && !/\\ud[89a-f]/i.test(text), `${text} ${parsed.failure.constraint}`)
        } else assert.strictEqual(JSON.stringify(parsed.success), text)
      })
    )
  })

  it("the strict JSON parser ignores brackets, commas and quotes inside strings", () => {
    for (const text of ['{"a":"[{\\",:}]","b":"\\\\"}', '["\\"",{"}":1,"{":2}]', '{"\\"a":1,"a":2}'])
      assert.isUndefined(field(text), text)
  })

  it("the strict JSON parser reports the location of a duplicate key, even with different escapes", () => {
    assert.strictEqual(field('{"a":{"b":[0,{"c":1,"c":2}]}}'), "a.b[1].c")
    assert.strictEqual(field('{"a":1,"\\u0061":2}'), "a")
    assert.isUndefined(field('[{"a":1},{"a":2},{"b":{"a":1}}]'))
  })

  it("the strict JSON parser rejects exactly the numbers that a double cannot represent", () => {
    for (const same of [
      "0",
      "-0",
      "1.0",
      "1.50",
      "100e-2",
      "1E+2",
      "0.1",
      "1e-1",
      "9007199254740992",
      "123456789012345680000",
      "5e-324",
      "1e308"
    ]) {
      assert.isUndefined(field(`[${same}]`), same)
    }
    for (const other of [
      "9007199254740993",
      "0.10000000000000000001",
      "1e309",
      "-1e309",
      "1e-400",
      "12345678901234567890"
    ]) {
      assert.strictEqual(field(`[1,${other}]`), "[1]", other)
    }
    void fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) =>
        assert.isUndefined(field(JSON.stringify(number)))
      )
    )
  })

  it("the strict JSON parser rejects lone surrogates in keys and values, and accepts surrogate pairs", () => {
    assert.strictEqual(field('{"a":"\\ud83d"}'), "a")
    assert.strictEqual(field('{"a":["x","\\ude00"]}'), "a[1]")
    assert.isDefined(field('{"\\ud83d":1}'))
    assert.isUndefined(field('{"\\ud83d\\ude00":"\\ud83d\\ude00 😀"}'))
  })

  it("the strict JSON parser allows 32 nested levels inside the outermost object", () => {
    const levels = (depth: number) => `{"metadata":${"[".repeat(depth)}${"]".repeat(depth)}}`
    assert.isUndefined(field(levels(32)))
    assert.match(field(levels(33)) ?? "", /^metadata/)
    assert.match(field(levels(50_000)) ?? "", /^(metadata|body)/)
  })

  it("the strict JSON parser reads very long numbers in linear time", () => {
    const long = (zeros: number) => `[1.${"0".repeat(zeros)}1]`
    assert.strictEqual(field(long(250_000)), "[0]")
    assert.isUndefined(field(`[1.${"0".repeat(250_000)}]`))
  })

  it("the strict JSON parser builds a path only for the reported problem, and shortens long keys in the path", () => {
    const key = "k".repeat(130_000)
    const twice = (holder: string) => `{"${holder}":{"${key}":{${'"":1,'.repeat(20_000)}"":1}}}`
    let written = 0
    const original = String.prototype.slice
    String.prototype.slice = function (...range) {
      if (range[0] === 0 && range[1] === 200) written++
      return original.apply(this, range)
    }
    try {
      assert.isTrue(Result.isSuccess(parseStrictJson(twice("z"), new Set(["metadata"]))))
      assert.strictEqual(written, 0)
      const told = parseStrictJson(twice("metadata"), new Set(["metadata"]))
      assert.strictEqual(Result.isFailure(told) && told.failure.field, `metadata.${"k".repeat(64)}`)
      assert.strictEqual(written, 1)
    } finally {
      String.prototype.slice = original
    }
  })

  it("the strict JSON parser rejects excessive nesting before parsing the text", () => {
    const deep = `{"trace":${"[".repeat(4_000_000)}`
    const read: Array<number> = []
    const original = JSON.parse
    JSON.parse = (text, reviver) => {
      read.push(text.length)
      return original(text, reviver)
    }
    try {
      assert.match(field(deep) ?? "", /^trace/)
      assert.match(field(`{"a":1,"a":2,"\\\\":3,"trace":${"[".repeat(4_000_000)}`) ?? "", /^trace/)
    } finally {
      JSON.parse = original
    }
    assert.isBelow(Math.max(0, ...read), 100)
  })

  it("the strict JSON parser reads strings of any length", () => {
    for (const text of ["x".repeat(4_000_000), '\\"'.repeat(1_000_000)]) assert.isUndefined(field(`{"a":"${text}"}`))
  })

  it("the strict JSON parser checks only the nesting depth of fields that the caller has not listed", () => {
    const fields = new Set(["metadata"])
    const found = (text: string) => {
      const parsed = parseStrictJson(text, fields)
      return Result.isFailure(parsed) ? parsed.failure.field : undefined
    }
    assert.isUndefined(found('{"trace":12345678901234567890,"t":{"a":1,"a":2},"s":"\\ud800","metadata":{}}'))
    assert.strictEqual(found('{"trace":1,"metadata":{"n":12345678901234567890}}'), "metadata.n")
    assert.match(found(`{"trace":${"[".repeat(40)}${"]".repeat(40)}}`) ?? "", /^trace/)
  })

  it("the strict JSON parser reports a text that is not valid JSON as a problem of the whole body", () => {
    for (const text of ["", " ", "{", "{'a':1}", "[1,]", "NaN", "01", '"\n"', "{}{}", "\ufeff1x"])
      assert.strictEqual(field(text), "body", text)
  })

  it.effect("the strict JSON parser reads a large text in steps that yield to other fibers", () =>
    Effect.gen(function* () {
      const text = `{"metadata":[${"{},".repeat(80_000)}0]}`
      const reading = yield* Effect.forkChild(parseStrictJsonInSteps(text))
      let turns = 0
      while (reading.pollUnsafe() === undefined) {
        yield* Effect.yieldNow
        turns++
      }
      assert.isAtLeast(turns, 80)
      assert.isTrue(Result.isSuccess(yield* Fiber.join(reading)))
    })
  )
})
