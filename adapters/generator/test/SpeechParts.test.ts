import { assert, describe, it } from "@effect/vitest"
import { splitForSpeech } from "@partner-commentary/generator/SpeechParts"
import * as fc from "fast-check"

const without = (text: string) => text.replace(/\s+/g, "")

describe("Split of a text into speech parts", () => {
  it("a text that fits into one speech part is returned as one trimmed part", () => {
    assert.deepStrictEqual(splitForSpeech("  They win. \n"), ["They win."])
    assert.lengthOf(splitForSpeech("a".repeat(4000)), 1)
  })

  it("a text without a word has no speech parts", () => assert.deepStrictEqual(splitForSpeech(" \n "), []))

  it("a text is cut at the longest pause in the second half of a part: the end of a paragraph, sentence, clause or word", () => {
    assert.deepStrictEqual(splitForSpeech("One. Two three.\n\nFour. Five six seven.", 25), [
      "One. Two three.",
      "Four. Five six seven."
    ])
    assert.deepStrictEqual(splitForSpeech("One two three. Four five six", 20), ["One two three.", "Four five six"])
    assert.deepStrictEqual(splitForSpeech("One two three, four five six", 20), ["One two three,", "four five six"])
    assert.deepStrictEqual(splitForSpeech("One two three four five six", 20), ["One two three four", "five six"])
    assert.deepStrictEqual(splitForSpeech("かきくけこ。さしすせそたちつ", 8), ["かきくけこ。", "さしすせそたちつ"])
  })

  it("no speech part of a text is blank, too long or cut within a character, and all parts together contain the text", () =>
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "🏆", ". ", "\n\n", " ", "é", ",", "。") }),
        fc.integer({ min: 2, max: 12 }),
        (text, longest) => {
          const cut = splitForSpeech(text, longest)
          assert.strictEqual(without(cut.join("")), without(text))
          for (const part of cut) {
            assert.isTrue(part.isWellFormed())
            assert.isAtMost(part.length, longest)
            assert.strictEqual(part, part.trim())
            assert.notStrictEqual(part, "")
          }
        }
      )
    ))
})
