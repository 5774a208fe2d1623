/** Tests the endpoint that advances simulated creators, with one worker, without workers and with several workers. */

import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"
import { approves, fails, seedTestIntegration, unknownId, waits } from "../support/TestIntegration.ts"

it.effect("the waiting test persona takes no step by itself, and takes one step with each call to advance", () =>
  Effect.gen(function* () {
    const { advance, get, sent, status } = yield* seedTestIntegration
    const { shares, topic } = yield* sent("Will it rain on Sunday?", waits)
    const share = shares[0] ?? ""
    const steps = [
      ["opinion_injected", ["generate", "fail"]],
      ["commentary_generated", ["approve", "withdraw", "expire"]],
      ["creator_approved", []]
    ] as const
    let before = "topic_sent"
    for (const [step, actions] of steps) {
      yield* TestClock.adjust("20 hours")
      const { personas } = yield* status(topic)
      assert.deepInclude(personas[0], { status: before, failure: null })
      const { data, success } = yield* advance(share)
      assert.isTrue(success)
      const { status_updated_at, ...rest } = data
      assert.deepStrictEqual(rest, {
        share_id: share,
        topic_id: topic,
        persona_id: waits,
        persona_name: "Wren Waits",
        status: step,
        has_commentary: step === "creator_approved",
        failure: null,
        actions
      })
      const { personas: now } = yield* status(topic)
      assert.deepInclude(now[0], { status: step, status_updated_at })
      before = step
    }
    const { data } = yield* get(`/topics/${topic}/commentaries`)
    assert.lengthOf(data.commentaries, 1)
    const { error } = yield* advance(share)
    assert.strictEqual(error.code, "invalid_request")
    assert.strictEqual(error.details.field, "action")
    assert.include(error.details.constraint, "creator_approved")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("explicit actions can bring a test assignment to every final state", () =>
  Effect.gen(function* () {
    const { advance, sees, sent } = yield* seedTestIntegration
    const endings: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["respond", "generate", "approve"], "creator_approved completed"],
      [["decline"], "declined declined completed"],
      [["expire"], "expired expired completed"],
      [["respond", "fail"], "opinion_injected generation_failed completed"],
      [["respond", "generate", "withdraw"], "commentary_generated withdrawn completed"],
      [["respond", "generate", "expire"], "commentary_generated approval_timeout completed"]
    ]
    for (const [actions, end] of endings) {
      const { shares, topic } = yield* sent(`Will it rain, after ${actions.join(", ")}?`, waits)
      for (const action of actions) assert.isTrue((yield* advance(shares[0] ?? "", action)).success)
      yield* sees(topic, end)
      for (const action of [undefined, ...actions]) {
        const { error } = yield* advance(shares[0] ?? "", action)
        assert.deepStrictEqual(
          [error.details.field, /settled, with the status (\w+)/.exec(error.details.constraint)?.[1]],
          ["action", end.split(" ")[0]]
        )
      }
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("an action that the status does not allow is refused with the allowed actions, and changes nothing", () =>
  Effect.gen(function* () {
    const { advance, call, key, sees, sent } = yield* seedTestIntegration
    const { shares, topic } = yield* sent("Will it rain on Sunday?", waits)
    const share = shares[0] ?? ""
    for (const action of ["generate", "approve", "fail", "withdraw"]) {
      const { error } = yield* advance(share, action)
      assert.deepInclude(error.details, {
        field: "action",
        constraint: "must be one of respond, decline, expire while the status is topic_sent"
      })
    }
    yield* sees(topic, "topic_sent pending")
    const path = `/partner/v1/test/assignments/${share}/advance`
    const nonsense = yield* readJson(yield* call(path, { method: "POST", key, body: { action: "applaud" } }))
    assert.deepInclude(nonsense.error.details, {
      field: "action",
      constraint:
        "must be one of respond, generate, approve, decline, expire, fail, withdraw, and one that the assignment's `actions` name"
    })
    const text = yield* readJson(
      yield* call(path, { method: "POST", key, body: "{}", headers: { "content-type": "text/plain" } })
    )
    assert.strictEqual(text.error.details.field, "content-type")
    yield* sees(topic, "topic_sent pending")
    for (const body of ["{}", ""]) assert.strictEqual((yield* call(path, { method: "POST", key, body })).status, 200)
    yield* sees(topic, "commentary_generated in_progress")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "calls with a live key, from another organization, or for a live assignment get the same 404 response, byte for byte",
  () =>
    Effect.gen(function* () {
      const { advance, call, key, live, persona, post, sent } = yield* seedTestIntegration
      const { shares } = yield* sent("Will it rain on Sunday?", waits)
      const stranger = yield* Seed.createOrganization({ name: "Strangers" })
      const strangers = (yield* Seed.issueApiKey(stranger, { environment: "test" })).text
      const asked = yield* post("/topics", { content: "Will it rain, live?", persona_ids: [persona.id] }, live)
      const share = asked.data.results[0].share_id
      const bytes = (id: string, by: string) =>
        Effect.gen(function* () {
          const path = `/partner/v1/test/assignments/${id}/advance`
          const response = yield* call(path, { method: "POST", key: by, headers: { "x-request-id": "same" } })
          // The remaining rate limit differs between calls.
          const headers = [...response.headers].filter(([name]) => !/^(x-)?ratelimit/.test(name))
          return JSON.stringify([response.status, headers, yield* Effect.promise(() => response.text())])
        })
      const nothing = yield* bytes(unknownId, key)
      assert.include(nothing, "not_found")
      for (const [id, by] of [
        ["not-an-id", key],
        [share, key],
        [share, live],
        [unknownId, live],
        [shares[0] ?? "", live],
        [shares[0] ?? "", strangers]
      ] as const) {
        assert.strictEqual(yield* bytes(id, by), nothing)
      }
      assert.strictEqual((yield* advance(share, "applaud", live)).error.code, "not_found")
      const { text: reader } = yield* Seed.issueApiKey(stranger, { environment: "test", scopes: ["topics:read"] })
      assert.strictEqual((yield* advance(shares[0] ?? "", "respond", reader)).error.code, "scope_denied")
      assert.deepInclude((yield* advance(shares[0] ?? "")).data, { status: "opinion_injected" })
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a test request that is never advanced expires at the same time as a request to a human creator", () =>
  Effect.gen(function* () {
    const { advance, sees, sent } = yield* seedTestIntegration
    const first = yield* sent("Does this one wait for an answer?", waits)
    const second = yield* sent("Does this one wait for its draft?", waits)
    const third = yield* sent("Does this one wait for approval?", waits)
    yield* advance(second.shares[0] ?? "")
    yield* advance(third.shares[0] ?? "")
    yield* advance(third.shares[0] ?? "")
    yield* TestClock.adjust("24 hours")
    yield* sees(second.topic, "opinion_injected generation_failed completed")
    yield* sees(first.topic, "topic_sent pending")
    yield* TestClock.adjust("24 hours")
    yield* sees(first.topic, "expired expired completed")
    yield* sees(third.topic, "commentary_generated in_progress")
    yield* TestClock.adjust("5 days")
    yield* sees(third.topic, "commentary_generated approval_timeout completed")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the audit log records for each step whether a simulated creator or a key caused it", () =>
  Effect.gen(function* () {
    const { advance, keyId, sees, sent } = yield* seedTestIntegration
    const sql = yield* SqlClient.SqlClient
    const { shares, topic } = yield* sent("Will it rain on Sunday?", approves)
    yield* advance(shares[0] ?? "")
    yield* TestClock.adjust("1500 millis")
    yield* sees(topic, "commentary_generated in_progress")
    yield* TestClock.adjust("1500 millis")
    yield* sees(topic, "creator_approved completed")
    const rows = yield* sql<{ readonly action: string; readonly details: string }>`SELECT action, details FROM audit_log
      WHERE subject = ${shares[0] ?? ""} ORDER BY action`
    assert.deepStrictEqual(
      rows.map(({ action, details }) => [action, JSON.parse(details).by]),
      [
        ["creator.approved", "simulated creator"],
        ["creator.responded", `key ${keyId}`]
      ]
    )
  }).pipe(Effect.provide(InMemory.layer))
)

/** Provides a server without workers. */
const serverAlone = InMemory.layerWithoutWorkers()

it.effect("without a worker each call to advance takes a step, and the next worker takes the overdue steps", () =>
  Effect.gen(function* () {
    const { advance, sees, sent } = yield* seedTestIntegration
    const { shares, topic } = yield* sent("Will it rain on Sunday?", approves)
    yield* TestClock.adjust("10 minutes")
    yield* sees(topic, "topic_sent pending")
    for (const state of ["opinion_injected in_progress", "commentary_generated in_progress"]) {
      assert.isTrue((yield* advance(shares[0] ?? "")).success)
      yield* sees(topic, state)
    }
    yield* TestClock.adjust("10 minutes")
    yield* sees(topic, "commentary_generated in_progress")
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* Layer.build(TestApi.workers)
        yield* sees(topic, "creator_approved completed")
      })
    )
  }).pipe(Effect.provide(serverAlone))
)

it.effect(
  "exactly one of several workers takes each step, and if workers stop between two steps, other workers continue",
  () =>
    Effect.gen(function* () {
      const { sees, sent, status } = yield* seedTestIntegration
      const topics = yield* Effect.forEach([1, 2, 3, 4, 5], (number) =>
        sent(`Will it rain on day ${number}?`, approves, fails)
      )
      const all = { concurrency: "unbounded" } as const
      const states = [
        ["topic_sent", "topic_sent"],
        ["opinion_injected", "opinion_injected"],
        ["commentary_generated", "opinion_injected generation_failed"],
        ["creator_approved", "opinion_injected generation_failed"]
      ]
      const told = ({ failure, status }: { readonly failure: { reason: string } | null; readonly status: string }) =>
        failure === null ? status : `${status} ${failure.reason}`
      for (const state of states) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Effect.forEach([1, 2, 3], () => Layer.build(Layer.fresh(TestApi.workers)), all)
            for (const { topic } of topics) {
              yield* eventually(
                state.join(", "),
                Effect.map(status(topic), ({ personas }) => personas.map(told).join() === state.join())
              )
            }
          })
        )
        yield* TestClock.adjust("1500 millis")
      }
      for (const { topic } of topics) yield* sees(topic, "creator_approved completed")
      const sql = yield* SqlClient.SqlClient
      const drafts = yield* sql<{ readonly count: number }>`SELECT count(*) AS count FROM drafts`
      assert.strictEqual(drafts[0]?.count, 5)
    }).pipe(Effect.provide(serverAlone))
)

it.effect("of a hundred concurrent calls, three take the three remaining steps, and the other calls are refused", () =>
  Effect.gen(function* () {
    const { advance, sees, sent } = yield* seedTestIntegration
    const { shares, topic } = yield* sent("Will it rain on Sunday?", waits)
    const answers = yield* Effect.forEach(Array.from({ length: 100 }), () => advance(shares[0] ?? ""), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(
      answers
        .filter(({ success }) => success)
        .map(({ data }) => data.status)
        .toSorted(),
      ["commentary_generated", "creator_approved", "opinion_injected"]
    )
    for (const { error } of answers.filter(({ success }) => !success)) assert.strictEqual(error.details.field, "action")
    yield* sees(topic, "creator_approved completed")
  }).pipe(Effect.provide(InMemory.layer))
)
