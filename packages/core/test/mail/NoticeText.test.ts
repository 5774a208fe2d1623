/** Tests how mails shorten the external texts that they quote. */
import { assert, it } from "@effect/vitest"
import { clipText } from "../../src/mail/NoticeText.ts"

it("a text that is longer than the limit is cut, and the added ellipsis counts towards the limit", () => {
  assert.strictEqual(clipText("12345", 5), "12345")
  assert.strictEqual(clipText("123456", 5), "1234…")
  assert.strictEqual(clipText("123 56", 5), "123…")
  assert.strictEqual(clipText("🏀🏀🏀🏀🏀", 5), "🏀🏀🏀🏀🏀")
  assert.strictEqual(clipText("🏀🏀🏀🏀🏀🏀", 5), "🏀🏀🏀🏀…")
})
