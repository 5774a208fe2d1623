import { describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert } from "vitest"
import { isReference, trimContent } from "../../src/topic/Topic.ts"

const bounds = { min: 10, max: 500 }

describe("a topic's content", () => {
  it("has 10 to 500 code points after trimming", () => {
    for (const [unit, length] of [
      ["a", 10],
      ["a", 500],
      ["😀", 10],
      ["😀", 500]
    ] as const)
      assert.isTrue(Result.isSuccess(trimContent(` \n${unit.repeat(length)}\t `, bounds)))
    assert.deepStrictEqual(trimContent(`   ${"a".repeat(9)}   `, bounds), Result.fail(9))
    assert.deepStrictEqual(trimContent("😀".repeat(501), bounds), Result.fail(501))
  })

  it("is kept as it is, the space around it aside", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 10, maxLength: 100 }), (content) => {
        const kept = trimContent(content, { min: 0, max: 5000 })
        assert.deepStrictEqual(kept, Result.succeed(content.trim()))
      })
    ))
})

describe("a partner's reference", () => {
  it("has 1 to 256 ASCII letters, digits and -_.: and is no dot segment", () => {
    for (const reference of ["a", "A-1_b.c:d", "...", "a".repeat(256), "0", ":", "-"])
      assert.isTrue(isReference(reference), reference)
    for (const reference of ["", ".", "..", "a".repeat(257), "a b", "a/b", "é", "٣", "a\n", "\na", "a%20b", "ａ"])
      assert.isFalse(isReference(reference), reference)
  })
})
