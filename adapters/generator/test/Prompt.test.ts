import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "@partner-commentary/generator/Prompt"
import * as fc from "fast-check"
import { hostile, request } from "./Requests.ts"

const material = (content: string): { readonly lines: ReadonlyArray<string>; readonly json: string } => {
  const lines = content.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u)
  return { lines, json: lines[1] ?? "" }
}

describe("Prompt", () => {
  it("no content of a request can close its delimiter, forge one, or change the rules", () =>
    fc.assert(
      fc.property(request(hostile(Prompt.delimiters)), (asked) => {
        const [system, user, ...more] = Prompt.messages(asked)
        assert.isEmpty(more)
        assert.deepStrictEqual(system, { role: "system", content: Prompt.rules.join("\n") })
        assert.strictEqual(user?.role, "user")
        const { lines, json } = material(user?.content ?? "")
        assert.deepStrictEqual(lines, [Prompt.delimiters[0], json, Prompt.delimiters[1], "Write the commentary now."])
        assert.notMatch(json, /[<>]/u)
      })
    ))

  it("the material is complete", () =>
    fc.assert(
      fc.property(request(hostile(Prompt.delimiters)), (asked) => {
        const { json } = material(Prompt.messages(asked)[1]?.content ?? "")
        assert.deepStrictEqual(JSON.parse(json), JSON.parse(JSON.stringify(asked)))
      })
    ))
})
