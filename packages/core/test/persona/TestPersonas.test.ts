import { describe, it } from "@effect/vitest"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { assert } from "vitest"
import { findTestPersona, selectSimulationPath, testPersonas } from "../../src/persona/TestPersonas.ts"
import { PersonaId, parse } from "../../src/shared/Ids.ts"
import { makeTestUuid } from "../topic/SampleAssignments.ts"

const licensed = makeTestUuid<PersonaId>(4)

describe("the test personas", () => {
  it("the test personas have the ids and paths that partners use in their tests", () => {
    assert.deepStrictEqual(
      testPersonas.map(({ id, path }) => [id, path]),
      [
        ["7e570000-0000-4000-8000-000000000001", "approve"],
        ["7e570000-0000-4000-8000-000000000002", "decline"],
        ["7e570000-0000-4000-8000-000000000003", "expire"],
        ["7e570000-0000-4000-8000-000000000004", "fail"],
        ["7e570000-0000-4000-8000-000000000005", "wait"]
      ]
    )
  })

  it("a test persona is found only by its id, in upper or lower case", () => {
    for (const persona of testPersonas) {
      const id = Option.getOrThrow(parse(PersonaId, persona.id.toUpperCase()))
      assert.deepStrictEqual(findTestPersona(id), Option.some(persona))
    }
    assert.isTrue(Option.isNone(findTestPersona(licensed)))
  })

  it("the creators of the test personas have no name and no mail address", () => {
    for (const { creator } of testPersonas) assert.deepStrictEqual(creator, { name: "", email: "" })
  })
})

describe("the simulation path of an assignment", () => {
  it("the first keyword in the topic, in upper or lower case, selects the simulation path of an assignment", () => {
    assert.strictEqual(selectSimulationPath(licensed, "Does it [EXPIRE], [decline] or [fail]?"), "expire")
    assert.strictEqual(selectSimulationPath(licensed, "[fail][decline]"), "fail")
    assert.strictEqual(
      selectSimulationPath(licensed, "Who declines? (decline) [ decline ] [declined] [wait]"),
      "approve"
    )
  })

  it("a test persona keeps its simulation path even if the topic contains a keyword", () =>
    fc.assert(
      fc.property(
        fc.constantFrom(...testPersonas),
        fc.string(),
        fc.constantFrom("decline", "expire", "fail"),
        (...of) => {
          const [{ id, path }, text, word] = of
          assert.strictEqual(selectSimulationPath(id, `${text}[${word}]`), path)
        }
      )
    ))
})
