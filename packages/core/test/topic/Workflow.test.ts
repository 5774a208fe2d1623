import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assert } from "vitest"
import { defaults } from "../../src/shared/Policy.ts"
import { actions, begin, policies, step } from "./WorkflowWalk.ts"

const environment = fc.constantFrom("live" as const, "test" as const)

describe("the workflow", () => {
  it("never leaves the specification's table, whatever is done to it and whenever", () => {
    const reached = new Set<string>()
    fc.assert(
      fc.property(policies(defaults), environment, actions, (policy, where, taken) => {
        const walk = begin(policy, where)
        for (const action of taken) {
          step(walk, action)
          reached.add(walk.present.failure?.reason ?? walk.present.status)
        }
      }),
      { numRuns: 3000 }
    )
    assert.sameMembers(
      [...reached],
      [
        "topic_sent",
        "opinion_injected",
        "commentary_generated",
        "creator_approved",
        "declined",
        "expired",
        "generation_failed",
        "approval_timeout",
        "withdrawn"
      ]
    )
  })
})
