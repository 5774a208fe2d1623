import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assert } from "vitest"
import { cleanText, countCodePoints, escapeHtml, hasForbiddenControlCharacters } from "../../src/shared/Text.ts"

/**
 * Generates any code point. The unit "binary" of fast-check is slower, because fast-check first fills a table of all
 * code points.
 */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code))

const anything = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.constantFrom("\r", "\n", "\t", "\u0000", "\u0085", " ", "a", "\ud800"), { maxLength: 12 })
    .map((all) => all.join(""))
)

describe("Text in HTML", () => {
  it("text in HTML is well-formed and escaped for elements and attributes", () => {
    assert.strictEqual(escapeHtml(`<a href="x">&'</a>`), "&#60;a href=&#34;x&#34;&#62;&#38;&#39;&#60;/a&#62;")
    assert.strictEqual(escapeHtml("a\ud800b🏆"), "a\ufffdb🏆")
  })
})

describe("Text length", () => {
  it("a text's length counts code points, not UTF-16 units", () => {
    assert.strictEqual(countCodePoints(""), 0)
    assert.strictEqual(countCodePoints("abc"), 3)
    assert.strictEqual(countCodePoints("😀é"), 2)
  })

  it("counting the code points of a text gives the same number as spreading the text into an array", () =>
    fc.assert(fc.property(anything, (text) => assert.strictEqual(countCodePoints(text), [...text].length))))
})

describe("Control characters", () => {
  it("all control characters except tabs and line breaks are detected", () => {
    for (let code = 0; code < 0x100; code++) {
      const control = code < 32 || (code >= 127 && code < 160)
      assert.strictEqual(
        hasForbiddenControlCharacters(`a${String.fromCharCode(code)}b`),
        control && ![9, 10, 13].includes(code)
      )
    }
  })
})

describe("Cleaned texts", () => {
  it("a cleaned text is well-formed and trimmed, has no control characters, and does not change when cleaned again", () =>
    fc.assert(
      fc.property(anything, (text) => {
        const cleaned = cleanText(text)
        assert.isTrue(cleaned.isWellFormed())
        assert.isFalse(hasForbiddenControlCharacters(cleaned))
        assert.notInclude(cleaned, "\r")
        assert.strictEqual(cleaned, cleaned.trim())
        assert.strictEqual(cleanText(cleaned), cleaned)
      })
    ))

  it("a cleaned text keeps all other characters", () => {
    assert.strictEqual(
      cleanText("  One\r\nTwo\rThree\n\n\tFour 😀 é \u0000\u001b[1m "),
      "One\nTwo\nThree\n\n\tFour 😀 é [1m"
    )
    assert.strictEqual(cleanText("a\ud800b"), "a\ufffdb")
  })
})
