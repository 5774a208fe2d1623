import { assert, describe, it } from "@effect/vitest"
import * as Prompt from "@partner-commentary/generator/Prompt"
import * as fc from "fast-check"
import { arbitraryGenerationRequest, arbitraryHostileText } from "./Requests.ts"

const material = (content: string): { readonly lines: ReadonlyArray<string>; readonly json: string } => {
  const lines = content.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u)
  return { lines, json: lines[1] ?? "" }
}

describe("Prompt of the generator", () => {
  it("no text in a request can close or forge a delimiter of the prompt, or change the rules", () =>
    fc.assert(
      fc.property(arbitraryGenerationRequest(arbitraryHostileText(Prompt.promptDelimiters)), (asked) => {
        const [system, user, ...more] = Prompt.makePromptMessages(asked)
        assert.isEmpty(more)
        assert.deepStrictEqual(system, { role: "system", content: Prompt.promptRules.join("\n") })
        assert.strictEqual(user?.role, "user")
        const { lines, json } = material(user?.content ?? "")
        assert.deepStrictEqual(lines, [
          Prompt.promptDelimiters[0],
          json,
          Prompt.promptDelimiters[1],
          "Write the commentary now."
        ])
        assert.notMatch(json, /[<>]/u)
      })
    ))

  it("the prompt contains the complete material", () =>
    fc.assert(
      fc.property(arbitraryGenerationRequest(arbitraryHostileText(Prompt.promptDelimiters)), (asked) => {
        const { json } = material(Prompt.makePromptMessages(asked)[1]?.content ?? "")
        assert.deepStrictEqual(JSON.parse(json), JSON.parse(JSON.stringify(asked)))
      })
    ))
})
