/** Texts of others that mails quote. */
import { assert, it } from "@effect/vitest"
import { clip } from "../../src/mail/NoticeText.ts"

it("a text is cut only above the limit, by characters, and ends with an ellipsis within the limit", () => {
  assert.strictEqual(clip("12345", 5), "12345")
  assert.strictEqual(clip("123456", 5), "1234…")
  assert.strictEqual(clip("123 56", 5), "123…")
  assert.strictEqual(clip("🏀🏀🏀🏀🏀", 5), "🏀🏀🏀🏀🏀")
  assert.strictEqual(clip("🏀🏀🏀🏀🏀🏀", 5), "🏀🏀🏀🏀…")
})
