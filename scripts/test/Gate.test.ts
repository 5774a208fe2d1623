/** The proof is no formality: a rule that stopped looking, or looks too hard, is named. */
import { describe, expect, it } from "vitest"
import { prove, type Rule } from "../Gate.ts"

const rule = (find: Rule["find"]): Rule => ({
  name: "no b",
  find,
  refuses: [{ "planted.ts": "b" }, { "there.ts": (present) => `${present}b` }],
  accepts: [{ "planted.ts": "a" }]
})

const files = new Map([["there.ts", "a"]])

const holding: Rule["find"] = (all) =>
  [...all].filter(([, text]) => text.includes("b")).map(([path]) => ({ path, line: 1, message: "has b" }))

describe("the gate's proof", () => {
  it("is silent about a rule that holds", () => {
    expect(prove([rule(holding)], files)).toEqual([])
  })

  it("names every violation that a vacuous rule lets pass", () => {
    expect(prove([rule(() => [])], files)).toEqual([
      '"no b" does not refuse planted.ts: b',
      '"no b" does not refuse there.ts: (changed)'
    ])
  })

  it("names a near miss that a rule refuses", () => {
    const always: Rule["find"] = (all) => [...all.keys()].map((path) => ({ path, line: 1, message: "is there" }))
    expect(prove([rule(always)], new Map())).toEqual(['"no b" refuses planted.ts: a (is there)'])
  })

  it("does not take what was wrong before for the violation it planted", () => {
    const stuck: Rule["find"] = () => [{ path: "planted.ts", line: 1, message: "is always wrong" }]
    expect(prove([rule(stuck)], files)).toHaveLength(2)
  })

  it("refuses a rule that plants nothing", () => {
    expect(prove([{ ...rule(holding), refuses: [] }], files)).toEqual(['"no b" plants no violation'])
  })
})
