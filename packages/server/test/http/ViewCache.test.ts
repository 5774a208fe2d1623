/** Tests the size limits of the cache of views. */
import { assert, it } from "@effect/vitest"
import * as ViewCache from "../../src/http/ViewCache.ts"

it("the view cache drops the least recently used view first, and does not store long views", () => {
  const views = ViewCache.make()
  const view = (length: number) => ({ tag: "tag", text: "x".repeat(length) })
  for (let count = 0; count < 100; count++) views.set(`${count}`, view(20_000))
  assert.deepStrictEqual(views.get("0"), view(20_000))
  views.set("100", view(20_000))
  assert.isUndefined(views.get("1"))
  assert.deepStrictEqual(views.get("0"), view(20_000))
  views.set("0", view(20_001))
  assert.isUndefined(views.get("0"))
  views.set("2", { tag: "next", text: "short" })
  assert.deepStrictEqual(views.get("2"), { tag: "next", text: "short" })
  for (let count = 0; count < 100; count++) views.set("2", view(20_000))
  assert.deepStrictEqual(views.get("100"), view(20_000))
})
