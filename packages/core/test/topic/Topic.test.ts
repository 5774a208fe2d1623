import { describe, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { assert } from "vitest"
import {
  calculateTopicFingerprint,
  findTopicContentProblem,
  isExternalReference,
  normalizeTopicContent
} from "../../src/topic/Topic.ts"

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

/** All Unicode white space except U+0085. The control character U+0085 is not allowed in topics. */
const whiteSpace = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(
  (character) => /\p{White_Space}/u.test(character) && character !== "\u0085"
)
const gap = fc.array(fc.constantFrom(...whiteSpace), { minLength: 1, maxLength: 4 }).map((all) => all.join(""))
const edge = fc.oneof(fc.constant(""), gap)
const text = fc.string({ unit: "grapheme", maxLength: 30 })
const visible = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
  .filter((word) => !/\s/u.test(normalizeTopicContent(word)))
const words = fc.array(visible, { minLength: 1, maxLength: 6 })

const print = (content: string) =>
  Effect.runPromise(
    Effect.flatMap(Digest.Digest, (digest) => calculateTopicFingerprint(digest, content)).pipe(
      Effect.provide(Digest.layerWebCrypto)
    )
  )

describe("Topic fingerprints", () => {
  it("a topic's fingerprint ignores the amount and kind of white space", () =>
    fc.assert(
      fc.property(words, fc.array(gap, { minLength: 6, maxLength: 6 }), edge, edge, (all, gaps, before, behind) => {
        const spaced = all.map((word, at) => (at === 0 ? word : gaps[at] + word)).join("")
        assert.strictEqual(normalizeTopicContent(before + spaced + behind), normalizeTopicContent(all.join(" ")))
      })
    ))

  it("a topic's fingerprint treats every kind of white space as one space", () => {
    assert.lengthOf(whiteSpace, 24)
    for (const space of whiteSpace)
      assert.strictEqual(normalizeTopicContent(`${space}a${space}${space}b${space}`), "a b")
  })

  it("a topic's fingerprint ignores the case of every letter", () => {
    let cased = 0
    for (let code = 0; code <= 0x10ffff; code++) {
      const letter = code < 0xd800 || code > 0xdfff ? String.fromCodePoint(code).normalize("NFKC") : ""
      const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()]
      // Skip letters without a one-to-one case mapping, such as the German sharp s. The case conversion of a letter
      // without a one-to-one mapping is not reversible.
      if (lower === upper || lower.toUpperCase() !== upper || upper.toLowerCase() !== lower) continue
      cased += 1
      assert.strictEqual(
        normalizeTopicContent(`x${upper}y`),
        normalizeTopicContent(`x${lower}y`),
        `U+${code.toString(16)}`
      )
    }
    assert.isAbove(cased, 2600)
  })

  it("a topic's fingerprint ignores Unicode compatibility variants of characters", () =>
    fc.assert(
      fc.property(text, (content) => {
        for (const form of ["NFC", "NFD", "NFKC", "NFKD"])
          assert.strictEqual(normalizeTopicContent(content.normalize(form)), normalizeTopicContent(content))
      })
    ))

  it("ligatures, full-width letters, composed accents and circled digits have the same topic fingerprint as their plain forms", () => {
    assert.strictEqual(normalizeTopicContent("ﬁnal"), normalizeTopicContent("final"))
    assert.strictEqual(normalizeTopicContent("ＦＩＮＡＬ"), normalizeTopicContent("final"))
    assert.strictEqual(normalizeTopicContent("cafe\u0301"), normalizeTopicContent("café"))
    assert.strictEqual(normalizeTopicContent("①"), normalizeTopicContent("1"))
  })

  it("a topic's fingerprint changes with any added, removed or changed visible character", () =>
    fc.assert(
      fc.property(words, fc.nat(), fc.constantFrom(..."abz09.!?'-#é漢😀"), (all, at, character) => {
        const content = all.join(" ")
        const points = [...content]
        const place = at % (points.length + 1)
        const longer = [...points.slice(0, place), character, ...points.slice(place)].join("")
        assert.notStrictEqual(normalizeTopicContent(longer), normalizeTopicContent(content))
        const digit = [...points.slice(0, place), "7", ...points.slice(place)].join("")
        assert.notStrictEqual(normalizeTopicContent(digit), normalizeTopicContent(longer))
      })
    ))

  it("a topic's fingerprint changes if accents, punctuation, word order or word boundaries change", () => {
    const different = [
      "is it fair",
      "is it fair?",
      "isit fair",
      "it is fair",
      "ïs it fair",
      "is it - fair",
      "is it fa ir"
    ]
    assert.lengthOf(new Set(different.map(normalizeTopicContent)), different.length)
  })

  it("a topic's fingerprint is the SHA-256 hash of the normalized text in hex", async () => {
    // The expected hash is the output of `printf 'was it fair?' | sha256sum`.
    const known = "f32f460777b86c6a115f3a39932b1be1cd5e91dac690b10c752858bd8f861447"
    assert.strictEqual(await print("  Was\tit  FAIR?\n"), known)
  })

  it("two topics have different fingerprints exactly when their normalized texts differ", () =>
    fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        assert.strictEqual(
          (await print(one)) === (await print(other)),
          normalizeTopicContent(one) === normalizeTopicContent(other)
        )
        assert.strictEqual(await print(one), await print(` ${one.normalize("NFD")}\n`))
      })
    ))
})
