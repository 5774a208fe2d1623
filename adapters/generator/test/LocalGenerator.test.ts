import { assert, describe, it } from "@effect/vitest"
import {
  type CommentaryGenerationRequest,
  CommentaryGenerator,
  maxCommentaryLength
} from "@partner-commentary/core/commentary/CommentaryGenerator"
import { composeLocalCommentary } from "@partner-commentary/core/commentary/LocalCommentary"
import * as LocalGenerator from "@partner-commentary/generator/LocalGenerator"
import * as CommentaryGeneratorSuite from "@partner-commentary/testkit/CommentaryGeneratorSuite"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { arbitraryGenerationRequest, arbitraryText } from "./Requests.ts"

const lengthOf = (text: string) => Array.from(text).length
const requests = arbitraryGenerationRequest(arbitraryText(500), arbitraryText(5000, 10))

const asked: CommentaryGenerationRequest = {
  persona: { name: "Ada", bio: "", expertise: [] },
  topic: "Should the league play in summer?",
  perspective: Array.from({ length: 40 }, (_, i) => `Reason number ${i} is that summer football suits the fans.`).join(
    " "
  )
}
const revised = (instructions: string, draft = composeLocalCommentary(asked)) =>
  composeLocalCommentary({ ...asked, revision: { draft, instructions } })

CommentaryGeneratorSuite.suite("LocalGenerator", LocalGenerator.layer)

describe("Local generator", () => {
  it.effect(
    "the local generator's text starts with the topic, quotes the creator's sentences, and states that a local generator wrote it",
    () =>
      Effect.gen(function* () {
        const generator = yield* CommentaryGenerator
        const perspective = "I played in July. The pitches were better\n- and the fans came. [fail]"
        const text = yield* generator.generate({ ...asked, perspective })
        assert.strictEqual(
          text,
          `${text.slice(0, text.indexOf(" I played"))} I played in July. The pitches were better. and the fans came. [fail]\n\nThat is how I see it.\n\nWritten by the local generator from Ada's own words.`
        )
        assert.include(text.split(" I played")[0] ?? "", "“Should the league play in summer?”")
      }).pipe(Effect.provide(LocalGenerator.layer))
  )

  it("for the same request, the local generator returns the same text, which is plain, not too long, and marked as local", () =>
    fc.assert(
      fc.property(requests, (one) => {
        const text = composeLocalCommentary(one)
        assert.strictEqual(composeLocalCommentary(structuredClone(one)), text)
        assert.isAtLeast(lengthOf(text), 1)
        assert.isAtMost(lengthOf(text), maxCommentaryLength)
        assert.strictEqual(text, text.trim())
        assert.isTrue(text.isWellFormed())
        assert.notMatch(text, /(?!\n)\p{Cc}/u)
        assert.match(text, /\n\nWritten by the local generator from .+'s own words\.$/u)
      })
    ))

  it("a revision by the local generator always differs from the draft that it revises", () =>
    fc.assert(
      fc.property(requests, arbitraryText(200), (one, instructions) => {
        const draft = composeLocalCommentary(one)
        assert.notStrictEqual(composeLocalCommentary({ ...one, revision: { draft, instructions } }), draft)
      })
    ))

  it("each repeated request for a shorter or longer text makes the local generator's text shorter or longer", () => {
    const draft = composeLocalCommentary(asked)
    const short = revised("Please make it shorter")
    const shorter = revised("Shorter!", short)
    const long = revised("a bit longer")
    assert.isBelow(lengthOf(short), lengthOf(draft))
    assert.isBelow(lengthOf(shorter), lengthOf(short))
    assert.isAbove(lengthOf(long), lengthOf(draft))
  })

  it("revision instructions that do not concern the length also change the text of the local generator", () => {
    const texts = ["warmer", "more fire", "less fire", "as a poem", "for children", "calm", ""].map((wish) =>
      revised(wish)
    )
    assert.isAtLeast(new Set(texts).size, 3)
  })

  it("the local generator's text ends with a complete sentence, or at a word boundary if a sentence is too long", () => {
    const [, given = ""] = / (Reason number 0 .*)\n\nThat is how/u.exec(composeLocalCommentary(asked)) ?? []
    assert.isTrue(asked.perspective.startsWith(given))
    assert.match(given, /fans\.$/u)
    const full = composeLocalCommentary({ ...asked, perspective: "I agree. ".repeat(500) })
    assert.lengthOf(full.match(/I agree\./gu) ?? [], 100)
    const endless = composeLocalCommentary({ ...asked, perspective: "word ".repeat(1000) })
    assert.match(endless, / word…\n\n/u)
    assert.isBelow(lengthOf(composeLocalCommentary({ ...asked, perspective: "x".repeat(5000) })), 1200)
  })
})
