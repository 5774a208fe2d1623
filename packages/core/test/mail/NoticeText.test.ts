/** The texts of other people that mails quote. */
import { assert, it } from "@effect/vitest"
import { clipText } from "../../src/mail/NoticeText.ts"

it("a text is cut only above the limit, by characters, and ends with an ellipsis within the limit", () => {
  assert.strictEqual(clipText("12345", 5), "12345")
  assert.strictEqual(clipText("123456", 5), "1234…")
  assert.strictEqual(clipText("123 56", 5), "123…")
  assert.strictEqual(clipText("🏀🏀🏀🏀🏀", 5), "🏀🏀🏀🏀🏀")
  assert.strictEqual(clipText("🏀🏀🏀🏀🏀🏀", 5), "🏀🏀🏀🏀…")
})
