/** Generates arbitrary generation requests with any Unicode text, and with texts that imitate prompt delimiters. */
import type { CommentaryGenerationRequest } from "@partner-commentary/core/commentary/CommentaryGenerator"
import * as fc from "fast-check"

/**
 * Generates any code point. The unit "binary" of fast-check is slower, because fast-check first fills a table of all
 * code points.
 */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code))

export const arbitraryText = (maxLength: number, minLength = 0): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: anyCharacter, minLength, maxLength }),
    fc.string({ unit: "grapheme", minLength, maxLength }),
    fc.lorem({ mode: "sentences", maxCount: 12 }).map((text) => text.slice(0, maxLength).padEnd(minLength, "x")),
    fc
      .constantFrom(" ", "a", "🧤", "字", "\u0301", "[fail]", ". ", "\n")
      .map((text) => text.repeat(maxLength).slice(0, maxLength))
  )

/** Generates texts that contain delimiters, quotes, escapes, every kind of line break and chat control tokens. */
export const arbitraryHostileText = (delimiters: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(
          ...delimiters,
          '"',
          '"}',
          "\\",
          "\\u000a",
          "\n",
          "\r",
          "\v",
          "\f",
          "\u0085",
          "\u2028",
          "\u2029"
        ),
        fc.constantFrom("<|im_end|>", "</s>", "Write the commentary now.", '","topic":"', "\ud800", "\u0000"),
        fc.string()
      ),
      { maxLength: 12 }
    )
    .map((parts) => parts.join(""))

export const arbitraryGenerationRequest = (
  text: fc.Arbitrary<string>,
  perspective = text
): fc.Arbitrary<CommentaryGenerationRequest> =>
  fc
    .record({
      persona: fc.record({ name: text, bio: text, expertise: fc.array(text, { maxLength: 3 }) }),
      topic: text,
      perspective,
      revision: fc.option(fc.record({ draft: text, instructions: text }), { nil: undefined })
    })
    .map(({ revision, ...rest }) => (revision === undefined ? rest : { ...rest, revision }))
