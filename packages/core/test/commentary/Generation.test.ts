import { describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert } from "vitest"
import {
  applyGeneratedDraft,
  applyGenerationFailure,
  findDueStep,
  releaseGenerationAttempt,
  startsGenerationAttempt
} from "../../src/commentary/Generation.ts"
import { defaults, type Policy } from "../../src/shared/Policy.ts"
import type { Assignment } from "../../src/topic/Assignment.ts"
import {
  recordRequestMailDelivery,
  requestRevision,
  respond,
  restartGeneration,
  retryGenerationNow
} from "../../src/topic/Workflow.ts"
import {
  getAssignmentOrThrow,
  makeAssignmentInGeneration,
  makeAssignmentWithDraft,
  makeDraftId,
  makeNewAssignment,
  noonInMillis,
  runStepAtDueTime
} from "../topic/SampleAssignments.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/**
 * Makes every generation attempt fail immediately. Returns the start of each attempt, the mails and the final state.
 */
const failing = (present: Assignment, policy: Policy, permanentFrom = Number.POSITIVE_INFINITY) => {
  const begunAt: Array<number> = []
  const notices: Array<string> = []
  let next = present
  while (next.generation.nextAt !== null) {
    const { assignment, at } = runStepAtDueTime(next, policy)
    begunAt.push(at - noonInMillis)
    const report = { ticket: assignment.generation.ticket, permanent: begunAt.length >= permanentFrom }
    const change = applyGenerationFailure(assignment, report, at, policy)
    notices.push(...change.notices.map(({ kind, occasion }) => `${kind} ${occasion}`))
    next = change.assignment
  }
  return { assignment: next, begunAt, notices }
}

const responded = (policy: Policy) =>
  getAssignmentOrThrow(respond(makeNewAssignment(policy), { perspective: "It was unfair." }, noonInMillis))

describe("generation attempts", () => {
  it("a retry that the operator requests is due immediately and keeps the count of failed attempts", () => {
    const { assignment: running, at } = runStepAtDueTime(responded(defaults), defaults)
    const { assignment } = applyGenerationFailure(running, { ticket: 1, permanent: false }, at, defaults)
    assert.isAbove(assignment.generation.nextAt ?? 0, at)
    const retried = getAssignmentOrThrow(retryGenerationNow(assignment, at))
    assert.deepStrictEqual(retried.generation, { ...assignment.generation, nextAt: at })
    assert.isTrue(Result.isFailure(retryGenerationNow(running, at)))
  })

  it("the audit log's reason for a failed generation attempt is short and omits text that the server quoted", () => {
    const { assignment, at } = runStepAtDueTime(responded(defaults), defaults)
    const recorded = (permanent: boolean, reason: string) =>
      applyGenerationFailure(assignment, { ticket: 1, permanent, reason }, at, defaults).audit
    const said = 'the server answered 400 (bad) "It was unfair,\nsaid the creator"'
    for (const permanent of [false, true]) {
      assert.deepStrictEqual(recorded(permanent, said), {
        action: "generation.attempt_failed",
        details: { by: "service", ticket: 1, permanent, reason: "the server answered 400 (bad) …" }
      })
    }
    assert.strictEqual(recorded(false, "🏟".repeat(500))?.details["reason"], "🏟".repeat(300))
    const overtaken = applyGenerationFailure(assignment, { ticket: 0, permanent: true, reason: said }, at, defaults)
    assert.isUndefined(overtaken.audit)
  })

  it("generation starts immediately, and retries follow after 1 minute, 10 minutes, 1 hour and 6 hours", () => {
    const { assignment, begunAt } = failing(responded(defaults), defaults)
    assert.deepStrictEqual(begunAt, [0, minute, 11 * minute, 71 * minute, 431 * minute])
    assert.strictEqual(assignment.generation.giveUpAt, noonInMillis + 431 * minute + day)
    assert.strictEqual(assignment.status, "opinion_injected")
    assert.isNull(assignment.failure, "in progress while it may be started again")
  })

  it("generation attempts follow the configured delays, and only the last failed attempt causes a mail", () =>
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: day }), { maxLength: 8 }),
        fc.integer({ min: 1, max: day }),
        (waits, grace) => {
          const generationRetries = waits.map((wait) => Duration.millis(wait))
          const policy = { ...defaults, generationRetries, generationGrace: Duration.millis(grace) }
          const { assignment, begunAt, notices } = failing(responded(policy), policy)
          const expected = [0]
          for (const wait of waits) expected.push((expected.at(-1) ?? 0) + wait)
          assert.deepStrictEqual(begunAt, expected)
          assert.strictEqual(assignment.generation.giveUpAt, noonInMillis + (begunAt.at(-1) ?? 0) + grace)
          assert.lengthOf(notices, 1)
        }
      )
    ))

  it("generation attempts stop after a permanent failure", () => {
    const { assignment, begunAt, notices } = failing(responded(defaults), defaults, 2)
    assert.deepStrictEqual(begunAt, [0, minute])
    assert.strictEqual(assignment.generation.giveUpAt, noonInMillis + minute + day)
    assert.lengthOf(notices, 1)
  })

  it("an assignment fails 24 hours after its last generation attempt, and its status stays opinion_injected", () => {
    const { assignment: stalled } = failing(responded(defaults), defaults)
    const { assignment, at, notices } = runStepAtDueTime(stalled, defaults)
    assert.strictEqual(at, noonInMillis + 431 * minute + day)
    assert.deepStrictEqual(assignment.failure, { reason: "generation_failed", at })
    assert.strictEqual(assignment.status, "opinion_injected")
    assert.deepStrictEqual(notices, [])
  })

  it("restarted generation makes all attempts again and causes another mail after the last attempt", () => {
    const first = failing(responded(defaults), defaults)
    const started = getAssignmentOrThrow(restartGeneration(first.assignment, noonInMillis + day, "operator.restarted"))
    const second = failing(started, defaults)
    assert.deepStrictEqual(
      second.begunAt.map((at) => at - day),
      first.begunAt
    )
    assert.notDeepEqual(second.notices, first.notices, "the occasions differ, so that both mails go out")
  })

  it("when the lease of a generation attempt ends without an outcome, the next attempt starts, if one is left", () => {
    let present = makeAssignmentInGeneration(defaults)
    for (let attempt = 2; attempt <= 5; attempt++) {
      const { assignment, at } = runStepAtDueTime(present, defaults)
      assert.strictEqual(at, noonInMillis + (attempt - 1) * 90 * second)
      assert.isTrue(startsGenerationAttempt(present, assignment))
      present = assignment
    }
    const { assignment, at } = runStepAtDueTime(present, defaults)
    assert.isFalse(startsGenerationAttempt(present, assignment))
    assert.strictEqual(assignment.generation.giveUpAt, at + day)
  })

  it("the audit log records a last attempt without a result, but no attempt twice", () => {
    const policy = { ...defaults, generationRetries: [] }
    const running = runStepAtDueTime(responded(policy), policy).assignment
    const audit = (present: Assignment) =>
      Option.getOrThrow(findDueStep(present, present.generation.nextAt ?? 0, policy)).audit
    assert.deepStrictEqual(audit(running), {
      action: "generation.attempt_failed",
      details: {
        by: "service",
        ticket: 1,
        permanent: false,
        reason: "the last attempt had no result: its process ended or hung"
      }
    })
    // The operator shortened the schedule of retries while a failed attempt waited for the next one.
    const report = { ticket: 1, permanent: false, reason: "the server answered 503" }
    assert.isUndefined(audit(applyGenerationFailure(running, report, noonInMillis, defaults).assignment))
  })

  it("the draft or failure of a generation attempt changes nothing after a newer attempt has started", () => {
    const running = runStepAtDueTime(makeAssignmentInGeneration(defaults), defaults).assignment
    const former = { ticket: 1, draftId: makeDraftId(1), content: "A draft." }
    assert.strictEqual(applyGeneratedDraft(running, former, noonInMillis, defaults).assignment, running)
    assert.strictEqual(
      applyGenerationFailure(running, { ticket: 1, permanent: true }, noonInMillis, defaults).assignment,
      running
    )
  })

  it("a superseded generation attempt changes nothing, even if a stopping worker released the newer attempt", () => {
    const overtaking = runStepAtDueTime(makeAssignmentInGeneration(defaults), defaults).assignment
    const givenBack = releaseGenerationAttempt(overtaking, overtaking.generation.ticket, noonInMillis).assignment
    const anew = runStepAtDueTime(givenBack, defaults).assignment
    const former = { ticket: 1, draftId: makeDraftId(1), content: "A draft." }
    for (const present of [givenBack, anew]) {
      assert.strictEqual(applyGeneratedDraft(present, former, noonInMillis, defaults).assignment, present)
      assert.strictEqual(
        applyGenerationFailure(present, { ticket: 1, permanent: true }, noonInMillis, defaults).assignment,
        present
      )
      assert.strictEqual(releaseGenerationAttempt(present, 1, noonInMillis).assignment, present)
    }
  })

  it("an assignment keeps its current draft when all attempts at a revision fail", () => {
    const wish = { draftId: makeDraftId(1), instructions: "Shorter." }
    const { assignment } = failing(
      getAssignmentOrThrow(requestRevision(makeAssignmentWithDraft(defaults), wish, noonInMillis, defaults)),
      defaults
    )
    assert.isNull(assignment.generation.giveUpAt)
    assert.strictEqual(assignment.draft?.id, makeDraftId(1))
    assert.strictEqual(assignment.approveBy, noonInMillis + 7 * day)
    const again = getAssignmentOrThrow(requestRevision(assignment, wish, noonInMillis + day, defaults))
    assert.strictEqual(again.generation.nextAt, noonInMillis + day, "the same wish is a new try")
  })
})

describe("reminders", () => {
  /** Returns all notices until the assignment is settled, each with the number of hours since noon. */
  const until = (present: Assignment, policy: Policy): ReadonlyArray<string> => {
    if (present.dueAt === null) return [`${present.failure?.reason}`]
    const { assignment, at, notices } = runStepAtDueTime(present, policy)
    return [...notices.map(({ kind }) => `${kind} ${(at - noonInMillis) / hour}`), ...until(assignment, policy)]
  }

  it("a request has one reminder, after half of the response window", () => {
    const sent = recordRequestMailDelivery(
      makeNewAssignment(defaults),
      { id: "mail", attempts: 1, ticket: 1 },
      noonInMillis,
      defaults
    ).assignment
    assert.deepStrictEqual(until(sent, defaults), ["reminder 24", "expired"])
    assert.deepStrictEqual(until(makeNewAssignment(defaults), defaults), ["expired"], "not before the mail went out")
  })

  it("a draft has two reminders, after half and after nine tenths of the approval window", () => {
    assert.deepStrictEqual(until(makeAssignmentWithDraft(defaults), defaults), [
      "approval_reminder 84",
      "approval_last_call 151.2",
      "approval_timeout"
    ])
  })

  it("each new draft has two reminders again, with new mail ids", () => {
    const reminded = runStepAtDueTime(makeAssignmentWithDraft(defaults), defaults)
    const wish = { draftId: makeDraftId(1), instructions: "Shorter." }
    const running = runStepAtDueTime(
      getAssignmentOrThrow(requestRevision(reminded.assignment, wish, reminded.at, defaults)),
      defaults
    ).assignment
    const draft = { ticket: running.generation.ticket, draftId: makeDraftId(2), content: "A shorter draft." }
    const change = applyGeneratedDraft(running, draft, noonInMillis + 100 * hour, defaults)
    assert.deepStrictEqual(change.notices, [{ kind: "draft", occasion: "draft-2" }])
    assert.deepStrictEqual(until(change.assignment, defaults), [
      "approval_reminder 184",
      "approval_last_call 251.2",
      "approval_timeout"
    ])
    const again = runStepAtDueTime(change.assignment, defaults)
    assert.notDeepEqual(again.notices, reminded.notices)
  })

  it("if a reminder is still due at the deadline of a request, the request expires and no reminder is sent", () => {
    const sent = recordRequestMailDelivery(
      makeNewAssignment(defaults),
      { id: "mail", attempts: 1, ticket: 1 },
      noonInMillis,
      defaults
    ).assignment
    const change = Option.getOrThrow(findDueStep(sent, sent.respondBy, defaults))
    assert.deepStrictEqual(change.notices, [])
    assert.strictEqual(change.assignment.status, "expired")
    assert.deepStrictEqual(change.assignment.failure, { reason: "expired", at: sent.respondBy })
  })
})
