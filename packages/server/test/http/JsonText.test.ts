import { assert, it } from "@effect/vitest"
import { exceedsMemberLimit } from "../../src/http/JsonText.ts"

it("the members of all objects in a JSON text are counted together, without the colons in strings", () => {
  const text = '{"a:b":[{"c":":::\\""}],"d":{"e":1}}'
  for (const limit of [4, 5]) assert.isFalse(exceedsMemberLimit(text, limit), String(limit))
  for (const limit of [0, 1, 2, 3]) assert.isTrue(exceedsMemberLimit(text, limit), String(limit))
})
