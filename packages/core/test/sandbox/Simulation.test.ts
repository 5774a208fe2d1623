/**
 * Runs random sequences of simulated steps. The workflow's rules must hold, and every assignment must finally be
 * approved or fail.
 */
import { describe, it } from "@effect/vitest"
import { SimulationPath } from "@partner-commentary/core/persona/TestPersonas"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert } from "vitest"
import { findDueStep } from "../../src/commentary/Generation.ts"
import {
  findNextSimulatedAction,
  isSimulatedStepDue,
  listPossibleSimulatedActions,
  SimulatedAction,
  takeSimulatedStep
} from "../../src/sandbox/Simulation.ts"
import { defaults } from "../../src/shared/Policy.ts"
import { type Assignment, isAssignmentSettled } from "../../src/topic/Assignment.ts"
import { makeChange, workflowTransitions } from "../../src/topic/Workflow.ts"
import { makeCommentaryId, makeDraftId, makeNewAssignment, noonInMillis } from "../topic/SampleAssignments.ts"

const pace = Duration.toMillis(defaults.testPace)

const props = {
  perspective: "It was fair.",
  draftId: makeDraftId(1),
  content: "A draft.",
  commentaryId: makeCommentaryId(1),
  contentHash: "hash"
}

const begin = (path: SimulationPath): Assignment =>
  makeChange({
    ...makeNewAssignment(defaults, "test"),
    simulation: { path, nextAt: path === "wait" ? null : noonInMillis + pace }
  }).assignment

/** Returns the assignment's status and the reason for a failure. */
const formatStatus = ({ failure, status }: Assignment) => (failure === null ? status : `${status} ${failure.reason}`)

/** Takes the step that a worker would take at this time. */
const work = (present: Assignment, now: number): Assignment => {
  const woken = findDueStep(present, now, defaults)
  if (Option.isSome(woken)) return woken.value.assignment
  const action = isSimulatedStepDue(present, now) ? findNextSimulatedAction(present) : undefined
  return action === undefined
    ? present
    : Result.getOrThrow(takeSimulatedStep(present, action, props, now, defaults)).assignment
}

/** Returns the sequence of states with their times, until no further step is due. */
const story = (path: SimulationPath) => {
  const seen: Array<readonly [number, string]> = []
  let present = begin(path)
  for (let moment: number | null = noonInMillis; moment !== null && seen.length < 9; moment = present.dueAt) {
    present = work(present, moment)
    seen.push([moment - noonInMillis, formatStatus(present)])
  }
  return seen
}

describe("Simulated creators", () => {
  it("a simulated creator takes the steps of the chosen path at fixed intervals until the assignment is settled", () => {
    assert.deepStrictEqual(story("approve"), [
      [0, "topic_sent"],
      [pace, "opinion_injected"],
      [2 * pace, "commentary_generated"],
      [3 * pace, "creator_approved"]
    ])
    assert.deepStrictEqual(story("decline").at(-1), [pace, "declined declined"])
    assert.deepStrictEqual(story("expire").at(-1), [pace, "expired expired"])
    assert.deepStrictEqual(story("fail").at(-1), [2 * pace, "opinion_injected generation_failed"])
    assert.deepStrictEqual(story("wait").at(-1), [begin("wait").respondBy - noonInMillis, "expired expired"])
  })

  const step = fc.oneof(
    fc.record({ do: fc.constantFrom(...SimulatedAction.literals) }),
    fc.record({ do: fc.constant("work" as const) }),
    fc.record({ do: fc.constant("pass" as const), ms: fc.oneof(fc.nat(2 * pace), fc.nat(200 * 3_600_000)) }),
    fc.record({ do: fc.constant("until due" as const) })
  )

  it("for any sequence of partner requests, a simulated assignment follows the workflow, causes no mail and reaches an end", () =>
    fc.assert(
      fc.property(fc.constantFrom(...SimulationPath.literals), fc.array(step, { maxLength: 20 }), (path, steps) => {
        let present = begin(path)
        let now = noonInMillis
        for (const one of steps) {
          const before = present
          if (one.do === "pass") now += one.ms
          else if (one.do === "until due") now = Math.max(now, present.dueAt ?? now)
          else if (one.do === "work") present = work(present, now)
          else {
            const possible = listPossibleSimulatedActions(present).includes(one.do)
            const acted = takeSimulatedStep(present, one.do, props, now, defaults)
            if (!possible) assert.isTrue(Result.isFailure(acted), "what is not offered is refused")
            if (Result.isSuccess(acted)) {
              present = acted.success.assignment
              assert.notStrictEqual(present, before)
              assert.deepStrictEqual(acted.success.notices, [])
            } else if (possible) assert.strictEqual(acted.failure.reason, "too_late")
          }
          if (present.status !== before.status)
            assert.include(Object.values(workflowTransitions[before.status]), present.status, "a row of the table")
          assert.strictEqual(present.dueAt === null, isAssignmentSettled(present), "due exactly while not settled")
          if (isAssignmentSettled(before)) assert.strictEqual(present, before, "what is settled stays")
          if (isAssignmentSettled(present)) assert.isNull(present.simulation?.nextAt ?? null)
          else if (path !== "wait") assert.isAtMost(present.dueAt ?? 0, now + pace, "the next step is near")
          assert.isNull(present.generation.nextAt, "no attempt at a server is ever due")
          assert.strictEqual(present.simulation?.path, path)
        }
        for (let times = 0; present.dueAt !== null; times++) {
          assert.isBelow(times, 8, "it ends")
          const next = work(present, Math.max(now, present.dueAt))
          assert.notStrictEqual(next, present, "what is due happens")
          present = next
        }
      })
    ))

  it("a simulated creator takes each step only once, even if two workers run the same step", () => {
    const once = work(begin("approve"), noonInMillis + pace)
    assert.strictEqual(work(once, noonInMillis + pace), once)
    assert.strictEqual(work(once, noonInMillis + 2 * pace - 1), once)
  })
})
