import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { type JsonVisitor, read } from "../../src/http/JsonReader.ts"
import { runWithoutYielding } from "../../src/http/Steps.ts"

const isJson = (text: string, visitor: JsonVisitor = { begin: () => {}, end: () => {} }): boolean =>
  runWithoutYielding(read(text, visitor))

const parses = (text: string) => Result.isSuccess(Result.try(() => JSON.parse(text)))

/** Generates texts that resemble JSON, valid or invalid. */
const pieces = fc
  .array(
    fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"\\u0061"',
      '"\\',
      '"',
      "1",
      "-0.5e3",
      "01",
      "true",
      "nul",
      " ",
      "\n",
      "\u0001"
    ),
    { maxLength: 12 }
  )
  .map((parts) => parts.join(""))

describe("JSON reader", () => {
  it("the JSON reader accepts exactly the texts that JSON.parse accepts", () => {
    void fc.assert(
      fc.property(fc.oneof(pieces, fc.json(), fc.string()), (text) => {
        assert.strictEqual(isJson(text), parses(text), text)
      }),
      { numRuns: 2000 }
    )
    for (const text of ["", " ", "1 2", "[1,]", "{,}", '{"a":1,}', '{"a"}', "[}", '"\\"', "﻿1", "1.", "-", "\u00a01"])
      assert.strictEqual(isJson(text), parses(text), JSON.stringify(text))
  })

  it("the JSON reader reports where the values of a list start and end", () => {
    const text = '{"a": [1, {"b":"]"}, "x\\"" , [2]]}'
    const found: Array<string> = []
    let start = 0
    isJson(text, {
      begin: (depth, at) => {
        if (depth === 2) start = at
      },
      end: (depth, end) => {
        if (depth === 2) found.push(text.slice(start, end))
      }
    })
    assert.deepStrictEqual(found, ["1", '{"b":"]"}', '"x\\""', "[2]"])
  })

  it("the JSON reader reads a large text of small values in steps", () => {
    const steps = read(`[${"{},".repeat(50_000)}0]`, { begin: () => {}, end: () => {} })
    let count = 0
    while (steps.next().done !== true) count++
    assert.isAtLeast(count, 70)
  })
})
