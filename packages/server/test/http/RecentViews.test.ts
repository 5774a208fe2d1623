/** The bounds of the views that are kept. */
import { assert, it } from "@effect/vitest"
import * as RecentViews from "../../src/http/RecentViews.ts"

it("the view that was used longest ago is dropped first, and long views are not kept", () => {
  const views = RecentViews.make()
  const view = (length: number) => ({ tag: "tag", text: "x".repeat(length) })
  for (let count = 0; count < 100; count++) views.keep(`${count}`, view(20_000))
  assert.deepStrictEqual(views.find("0"), view(20_000))
  views.keep("100", view(20_000))
  assert.isUndefined(views.find("1"))
  assert.deepStrictEqual(views.find("0"), view(20_000))
  views.keep("0", view(20_001))
  assert.isUndefined(views.find("0"))
  views.keep("2", { tag: "next", text: "short" })
  assert.deepStrictEqual(views.find("2"), { tag: "next", text: "short" })
  for (let count = 0; count < 100; count++) views.keep("2", view(20_000))
  assert.deepStrictEqual(views.find("100"), view(20_000))
})
