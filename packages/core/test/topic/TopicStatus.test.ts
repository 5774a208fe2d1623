import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assert } from "vitest"
import type { AssignmentStatus } from "../../src/topic/Assignment.ts"
import * as TopicStatus from "../../src/topic/TopicStatus.ts"

type AssignmentOutcome = TopicStatus.AssignmentStatusFields

const failure = (reason: "cancelled" | "withdrawn" | "expired" | "declined" | "generation_failed") => ({
  reason,
  at: 0
})

/**
 * All states of an assignment. In the function `defined`, the letters mean approved (A), failed (F), waiting for a
 * draft or an approval (W), and sent (S).
 */
const states: ReadonlyArray<readonly [AssignmentOutcome, "A" | "F" | "W" | "S"]> = [
  [{ status: "topic_sent", failure: null }, "S"],
  [{ status: "opinion_injected", failure: null }, "W"],
  [{ status: "opinion_injected", failure: failure("generation_failed") }, "F"],
  [{ status: "commentary_generated", failure: null }, "W"],
  [{ status: "commentary_generated", failure: failure("withdrawn") }, "F"],
  [{ status: "topic_sent", failure: failure("cancelled") }, "F"],
  [{ status: "creator_approved", failure: null }, "A"],
  [{ status: "declined", failure: failure("declined") }, "F"],
  [{ status: "expired", failure: failure("expired") }, "F"]
]

/** Defines a topic's status independently of the source code. */
const defined = ({ A, W, S }: Record<"A" | "F" | "W" | "S", number>): TopicStatus.TopicStatus => {
  if (W + S === 0) return "completed"
  if (A > 0) return "partial"
  return W > 0 ? "in_progress" : "pending"
}

const letters = (present: ReadonlyArray<AssignmentOutcome>) => {
  const counts = { A: 0, F: 0, W: 0, S: 0 }
  for (const outcome of present) counts[letterOf(outcome)] += 1
  return counts
}

const letterOf = (outcome: AssignmentOutcome) =>
  (states.find(([{ status, failure }]) => status === outcome.status && failure === outcome.failure) ?? [])[1] ?? "F"

const counted = (present: ReadonlyArray<AssignmentOutcome>): TopicStatus.TopicCounts => {
  const of = (status: AssignmentStatus) => present.filter((outcome) => outcome.status === status).length
  return {
    topic_sent: of("topic_sent"),
    opinion_injected: of("opinion_injected"),
    commentary_generated: of("commentary_generated"),
    creator_approved: of("creator_approved"),
    declined: of("declined"),
    expired: of("expired"),
    abandoned: present.filter(({ failure, status }) => failure !== null && !["declined", "expired"].includes(status))
      .length,
    cancelled: present.filter(({ failure }) => failure?.reason === "cancelled").length
  }
}

/** Generates all distributions of up to `most` assignments over the states. */
const distributions = function* (most: number, kinds: number): Generator<ReadonlyArray<number>> {
  if (kinds === 0) return yield []
  for (let count = 0; count <= most; count++)
    for (const rest of distributions(most - count, kinds - 1)) yield [count, ...rest]
}

describe("Topic status", () => {
  it("a topic's status matches the definition for every combination of up to six assignments", () => {
    let combinations = 0
    for (const distribution of distributions(6, states.length)) {
      const present = states.flatMap(([outcome], kind) =>
        Array<AssignmentOutcome>(distribution[kind] ?? 0).fill(outcome)
      )
      assert.strictEqual(TopicStatus.deriveTopicStatus(counted(present)), defined(letters(present)), `${distribution}`)
      combinations += 1
    }
    assert.strictEqual(combinations, 5005, "15 choose 9: all of them")
  })

  it("a topic is pending until a creator responds with a perspective, and completed once no assignment is open", () => {
    const sent = { ...TopicStatus.emptyTopicCounts, topic_sent: 3 }
    assert.strictEqual(TopicStatus.deriveTopicStatus(sent), "pending")
    assert.strictEqual(TopicStatus.deriveTopicStatus({ ...sent, declined: 2 }), "pending")
    assert.strictEqual(TopicStatus.deriveTopicStatus({ ...sent, opinion_injected: 1 }), "in_progress")
    assert.strictEqual(TopicStatus.deriveTopicStatus({ ...sent, creator_approved: 1 }), "partial")
    const settled = { ...TopicStatus.emptyTopicCounts, commentary_generated: 2, abandoned: 2, expired: 1 }
    assert.strictEqual(TopicStatus.deriveTopicStatus(settled), "completed")
  })
})

describe("Topic counts", () => {
  it("a topic's counts stay equal to a full recount after any sequence of changes", () => {
    const kind = fc.nat({ max: states.length - 1 }).map((index) => (states[index] ?? states[0]!)[0])
    const changes = fc.array(fc.tuple(fc.nat({ max: 5 }), kind), { maxLength: 40 })
    return fc.assert(
      fc.property(fc.array(kind, { minLength: 6, maxLength: 6 }), changes, (start, taken) => {
        const present = [...start]
        let counts = counted(present)
        for (const [which, next] of taken) {
          const before = counts
          const kept = { ...before }
          counts = TopicStatus.updateTopicCounts(counts, present[which]!, next)
          present[which] = next
          assert.deepStrictEqual(counts, counted(present))
          assert.deepStrictEqual(before, kept, "the counts before stay as they were")
        }
      })
    )
  })

  it("a topic's counts are zero before the first assignment", () => {
    assert.deepStrictEqual(TopicStatus.emptyTopicCounts, counted([]))
  })
})

describe("Assignment states in summaries", () => {
  it("partners see an approved assignment as completed, an assignment settled without a commentary as failed, and others as pending", () => {
    for (const [outcome, letter] of states) {
      const expected = letter === "A" ? "completed" : letter === "F" ? "failed" : "pending"
      assert.strictEqual(TopicStatus.findSummaryCategory(outcome), expected)
    }
  })

  it("a topic's summary counts the partner-visible states of all assignments", () => {
    const kind = fc.nat({ max: states.length - 1 }).map((index) => (states[index] ?? states[0]!)[0])
    return fc.assert(
      fc.property(fc.array(kind), (present) => {
        const { A, F, S, W } = letters(present)
        const summary = { total_personas: present.length, completed: A, pending: W + S, failed: F }
        assert.deepStrictEqual(TopicStatus.summarizeOutcomes(present), summary)
      })
    )
  })
})
