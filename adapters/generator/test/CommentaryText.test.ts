import { assert, describe, it } from "@effect/vitest"
import { maxCommentaryLength } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { cleanAndValidateCommentary } from "@partner-commentary/generator/CommentaryText"
import * as Prompt from "@partner-commentary/generator/Prompt"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { arbitraryText } from "./Requests.ts"

const request = {
  topic: "Is https://www.league.example/rules/ fair?",
  perspective: "I wrote about it on ada.community/blog."
}

const accepted = (text: string) => Result.getOrThrow(cleanAndValidateCommentary(text, request))
const refused = (text: string) => {
  const failed = Result.getOrThrow(Result.flip(cleanAndValidateCommentary(text, request)))
  assert.isFalse(failed.permanent)
  return failed.reason
}

describe("Checks of a generated text", () => {
  it("white space, quotation marks, code fences and `<think>` sections around a text are removed, and inner quotation marks are kept", () => {
    assert.strictEqual(accepted(" \n Yes. \t\n"), "Yes.")
    assert.strictEqual(accepted('"Yes."'), "Yes.")
    assert.strictEqual(accepted("“Yes.”"), "Yes.")
    assert.strictEqual(accepted("```text\nYes.\n```"), "Yes.")
    assert.strictEqual(accepted('```\n"Yes."\n```'), "Yes.")
    assert.strictEqual(accepted("<think>Should I?</think>\n\nYes."), "Yes.")
    assert.strictEqual(accepted('"Yes," he said, "no."'), '"Yes," he said, "no."')
    assert.strictEqual(accepted("I <3 this, and 2 < 3."), "I <3 this, and 2 < 3.")
  })

  it("line breaks in a generated text are normalized, and control and text-direction characters are removed", () => {
    assert.strictEqual(accepted("a\r\nb\rc\u2028d \n\n\n\ne"), "a\nb\nc\nd\n\ne")
    assert.strictEqual(accepted("a\u0000\u001b[1mb\u202ec\u2066\ufeff\td"), "a[1mbc d")
    assert.strictEqual(accepted("a\ud800b"), "a\ufffdb")
    assert.strictEqual(accepted("👩‍👩‍👧 שלום"), "👩‍👩‍👧 שלום")
  })

  it("the length limit of a generated text counts code points", () => {
    assert.strictEqual(accepted("🧤".repeat(maxCommentaryLength)), "🧤".repeat(maxCommentaryLength))
    assert.include(refused("🧤".repeat(maxCommentaryLength + 1)), "longer")
    assert.include(refused("x".repeat(1024 * 1024)), "longer")
  })

  it("a generated text that is empty after cleaning is refused", () => {
    for (const text of ["", " \n", "\u0000", '""', "```\n\n```", "<think>hm</think>"]) {
      assert.include(refused(text), "empty")
    }
  })

  it("markup in a generated text is refused", () => {
    for (const tag of [
      "<b>x</b>",
      "<script>x",
      "<img src=x onerror=y",
      "</p>",
      "<!-- x -->",
      "<!DOCTYPE html>",
      "<?xml?>"
    ]) {
      assert.include(refused(`Well ${tag}`), "markup")
    }
  })

  it("a generated text may contain a web address only if the topic or the perspective contains this address", () => {
    for (const known of [
      "https://league.example/rules.",
      "(www.league.example/rules)",
      "https://ada.community/blog!"
    ]) {
      assert.strictEqual(accepted(`See ${known}`), `See ${known}`)
    }
    for (const url of [
      "https://evil.example/",
      "HTTP://EVIL.example",
      "www.evil.example",
      "evil.com",
      "..evil.com",
      "evil.example/path",
      "me@evil.com",
      "ada.com",
      "ada.community/blog2",
      "javascript:alert(1)",
      "a.b.c.d.e.f.g.h.i.j.com",
      "ftp://x.example"
    ]) {
      assert.include(refused(`See ${url} now`), "web address", url)
    }
    assert.strictEqual(
      accepted("He won 3.5 points, e.g. in Node.js and/or U.S. style."),
      "He won 3.5 points, e.g. in Node.js and/or U.S. style."
    )
  })

  it("a generated text that repeats the prompt is refused", () => {
    for (const leak of [...Prompt.promptDelimiters, ...Prompt.promptRules]) {
      assert.include(refused(`Sure. ${leak.toUpperCase().replaceAll(" ", "\n")} There.`), "repeats the prompt")
    }
  })

  it("an accepted text is always plain, trimmed and never empty", () =>
    fc.assert(
      fc.property(arbitraryText(300), (text) => {
        const result = cleanAndValidateCommentary(text, request)
        if (Result.isFailure(result)) return
        const { success } = result
        assert.strictEqual(success, success.trim())
        assert.isAtLeast(success.length, 1)
        assert.notMatch(success, /(?!\n)\p{Cc}/u)
        assert.isTrue(success.isWellFormed())
      })
    ))

  it("the check of megabytes of hostile text takes linear time", () => {
    for (const unit of [" ", "\n", "<", "a.", "a-", "https://", "```", '"', "\t\n"]) {
      const started = performance.now()
      cleanAndValidateCommentary(`x${unit.repeat((1024 * 1024) / unit.length)}x`, request)
      assert.isBelow(performance.now() - started, 5000, JSON.stringify(unit))
      cleanAndValidateCommentary(`x${unit.repeat(4990 / unit.length)}x`, request)
      assert.isBelow(performance.now() - started, 5000, JSON.stringify(unit))
    }
  })
})
