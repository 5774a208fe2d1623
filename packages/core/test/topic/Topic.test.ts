import { describe, it } from "@effect/vitest"
import { assert } from "vitest"
import { findTopicContentProblem, isExternalReference } from "../../src/topic/Topic.ts"

const bounds = { min: 10, max: 500 }

describe("Topic content", () => {
  it("a topic's content must have 10 to 500 code points after trimming", () => {
    for (const [unit, length] of [
      ["a", 10],
      ["a", 500],
      ["😀", 10],
      ["😀", 500]
    ] as const)
      assert.isNull(findTopicContentProblem(` \n${unit.repeat(length)}\t `, bounds))
    assert.strictEqual(findTopicContentProblem(`   ${"a".repeat(9)}   `, bounds), "length")
    assert.strictEqual(findTopicContentProblem("😀".repeat(501), bounds), "length")
  })

  it("a topic's content must contain a readable character", () => {
    for (const nothing of ["\u200b", "\u2060", "\u3164", "\u202e", "\u115f", "\ufe0f", "\u{e0041}"]) {
      assert.strictEqual(findTopicContentProblem(nothing.repeat(20), bounds), "invisible", nothing)
      assert.isNull(findTopicContentProblem(`${nothing.repeat(20)}?`, bounds))
    }
    for (const something of ["?", "😀", "ㄱ", "1", "ก"])
      assert.isNull(findTopicContentProblem(something.repeat(20), bounds))
  })

  it("a topic's content must not contain control characters except tabs and line breaks", () => {
    for (const control of ["\u0000", "\u0007", "\u001b", "\u007f", "\u0085"]) {
      assert.strictEqual(findTopicContentProblem(`A question${control} with one`, bounds), "controls")
    }
    assert.isNull(findTopicContentProblem("A question\n\ton two lines", bounds))
  })
})

describe("External references", () => {
  it("a partner's reference must have 1 to 256 ASCII letters, digits or -_.: and must not be . or ..", () => {
    for (const reference of ["a", "A-1_b.c:d", "...", "a".repeat(256), "0", ":", "-"])
      assert.isTrue(isExternalReference(reference), reference)
    for (const reference of ["", ".", "..", "a".repeat(257), "a b", "a/b", "é", "٣", "a\n", "\na", "a%20b", "ａ"])
      assert.isFalse(isExternalReference(reference), reference)
  })
})
