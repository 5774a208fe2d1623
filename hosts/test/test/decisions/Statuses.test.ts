/**
 * Tests the documented decisions about statuses: a persona's and a topic's status in each view, and how failures
 * appear.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import {
  type AssignmentState,
  bringAssignmentToState,
  getFirstPersona,
  layerOfServiceUnderTest,
  openCreatorLink,
  type SeededPartner,
  seedPartner,
  submitTopicWithStates
} from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"

/** Returns the assignment's entries in the views status, detail and by-reference. */
const entries = Effect.fnUntraced(function* (by: SeededPartner, id: string, reference: string) {
  const status = (yield* by.get(`/topics/${id}/status`)).body.data.personas[0]
  const detail = (yield* by.get(`/topics/${id}`)).body.data.commentaries[0]
  const lookup = (yield* by.get(`/topics/by-reference/${reference}`)).body.data.commentaries[0]
  return { status, detail, lookup }
})

const outcomes: ReadonlyArray<readonly [AssignmentState, "completed" | "failed" | "pending", string]> = [
  ["topic_sent", "pending", "topic_sent"],
  ["opinion_injected", "pending", "opinion_injected"],
  ["commentary_generated", "pending", "commentary_generated"],
  ["creator_approved", "completed", "creator_approved"],
  ["declined", "failed", "declined"],
  ["expired", "failed", "expired"],
  ["generation_failed", "failed", "opinion_injected"],
  ["approval_timeout", "failed", "commentary_generated"],
  ["withdrawn", "failed", "commentary_generated"]
]

/**
 * Each row has a name, the states of the personas and the expected status of the topic. In the names, A is an approved
 * assignment, F is a failed assignment, W waits for a draft or an approval, and S waits for the creator's response.
 */
const combinations: ReadonlyArray<readonly [string, ReadonlyArray<AssignmentState>, string]> = [
  ["completed if W+S=0: A", ["creator_approved"], "completed"],
  ["completed if W+S=0: A, F", ["creator_approved", "declined"], "completed"],
  ["completed if W+S=0: F declined", ["declined"], "completed"],
  ["completed if W+S=0: F withdrawn", ["withdrawn"], "completed"],
  ["completed if W+S=0: F expired", ["expired"], "completed"],
  ["completed if W+S=0: F generation failed", ["generation_failed"], "completed"],
  ["completed if W+S=0: F approval timed out", ["approval_timeout"], "completed"],
  ["partial if A>0: A, W", ["creator_approved", "commentary_generated"], "partial"],
  ["partial if A>0: A, W, S, F", ["creator_approved", "opinion_injected", "topic_sent", "declined"], "partial"],
  ["partial if A>0: A, S", ["creator_approved", "topic_sent"], "partial"],
  ["in_progress if W>0: W in opinion_injected", ["opinion_injected"], "in_progress"],
  ["in_progress if W>0: W in commentary_generated", ["commentary_generated"], "in_progress"],
  ["in_progress if W>0: W, S", ["opinion_injected", "topic_sent"], "in_progress"],
  ["in_progress if W>0: W, F", ["commentary_generated", "declined"], "in_progress"],
  ["pending otherwise: S", ["topic_sent"], "pending"],
  ["pending otherwise: S, F", ["topic_sent", "declined"], "pending"],
  ["pending otherwise: S, F withdrawn", ["topic_sent", "withdrawn"], "pending"]
]

layer(layerOfServiceUnderTest)("decisions, States: statuses", (it) => {
  for (const [state, outcome, status] of outcomes) {
    it.effect(`detail and by-reference show ${state} as ${outcome}, with commentary only if completed`, () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id } = yield* submitTopicWithStates(by, content, [state], { external_reference: "game-1" })
        const seen = yield* entries(by, id, "game-1")
        assert.strictEqual(seen.status.status, status)
        for (const entry of [seen.detail, seen.lookup]) {
          assert.strictEqual(entry.status, outcome)
          assert.strictEqual(entry.commentary !== null, outcome === "completed")
        }
      })
    )

    it.effect(`status, detail and by-reference show failure as {reason, at} or null: ${state}`, () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id } = yield* submitTopicWithStates(by, content, [state], { external_reference: "game-1" })
        const { detail, lookup, status } = yield* entries(by, id, "game-1")
        for (const { failure } of [status, detail, lookup]) {
          assert.deepStrictEqual(failure, status.failure)
          if (outcome !== "failed") assert.isNull(failure)
          else {
            assert.sameMembers(Object.keys(failure), ["reason", "at"])
            assert.strictEqual(failure.reason, state)
            assert.match(failure.at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
          }
        }
      })
    )
  }

  it.effect("expires_at in the status view is the creator's deadline, and is null if the creator has no deadline", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const hours = { topic_sent: 48, commentary_generated: 7 * 24 }
      for (const [state] of outcomes) {
        const { id } = yield* submitTopicWithStates(by, `${content} As ${state}.`, [state])
        const [persona] = (yield* by.get(`/topics/${id}/status`)).body.data.personas
        const left = Date.parse(persona.expires_at) - Date.parse(persona.status_updated_at)
        if (state === "topic_sent" || state === "commentary_generated") {
          assert.approximately(left, hours[state] * 3_600_000, 60_000, state)
        } else assert.isNull(persona.expires_at, state)
      }
    })
  )

  for (const [name, states, status] of combinations) {
    it.effect(`the topic-level status follows the personas' states: ${name}`, () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id } = yield* submitTopicWithStates(by, content, states)
        assert.strictEqual((yield* by.get(`/topics/${id}/status`)).body.data.overall_status, status)
        assert.strictEqual((yield* by.get(`/topics/${id}`)).body.data.status, status)
        const listed = (yield* by.get(`/topics?status=${status}`)).body
        assert.deepStrictEqual([listed.pagination.total, listed.data[0].topic_id], [1, id])
      })
    )
  }

  it.effect("the topic-level status changes in the same transaction as the assignments", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id, personas } = yield* submitTopicWithStates(by, content, ["commentary_generated"])
      const { act } = yield* openCreatorLink(getFirstPersona(personas), content)
      const polls = Effect.forEach(Array.from({ length: 40 }), () => by.get(`/topics/${id}/status`), { concurrency: 8 })
      const [answers] = yield* Effect.all([polls, act("approve")], { concurrency: 2 })
      for (const { body } of answers) {
        const approved = body.data.personas[0].status === "creator_approved"
        assert.strictEqual(body.data.overall_status, approved ? "completed" : "in_progress")
        assert.strictEqual(body.data.summary.creator_approved, approved ? 1 : 0)
      }
      assert.strictEqual((yield* by.get(`/topics/${id}/status`)).body.data.overall_status, "completed")
    })
  )

  it.effect("a topic's summary counts are updated when a persona's status changes", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const personas = yield* Effect.forEach([1, 2, 3], () => by.persona())
      const { topic_id: id } = yield* by.submit(content, personas)
      const counts = Effect.map(by.get(`/topics/${id}`), ({ body }) => body.data.summary)
      for (const [index, summary] of [
        { total_personas: 3, completed: 0, pending: 2, failed: 1 },
        { total_personas: 3, completed: 1, pending: 1, failed: 1 },
        { total_personas: 3, completed: 1, pending: 0, failed: 2 }
      ].entries()) {
        const state = (["declined", "creator_approved", "withdrawn"] as const)[index] ?? "topic_sent"
        yield* bringAssignmentToState({ by, id, content }, getFirstPersona(personas.slice(index)), state)
        assert.deepStrictEqual(yield* counts, summary)
      }
    })
  )
})
