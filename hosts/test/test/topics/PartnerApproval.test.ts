/** Tests the partner's acceptance of an approved commentary for publication, through the whole service. */
import { assert, it } from "@effect/vitest"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { readJson } from "../support/Json.ts"
import { actAsCreator, findCreatorToken, getJson, submitTopic, waitForStatus } from "../support/Requests.ts"

const start = Date.parse("2026-03-01T09:00:00.000Z")
const content = "Who takes the title this season?"
const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"

/** Submits a topic, approves its commentary, and returns the ids of the topic and the commentary. */
const approvedBy = Effect.fnUntraced(function* (key: string, persona: Persona, asked = content) {
  const topicId = yield* submitTopic(key, asked, [persona], { external_reference: "title" })
  const token = yield* findCreatorToken(persona, asked)
  yield* actAsCreator(token, "respond", { perspective: "They will win it, and by some distance." })
  yield* waitForStatus(key, topicId, persona, "commentary_generated")
  yield* actAsCreator(token, "approve", { content: "They will win it." })
  const { data } = yield* getJson(key, `/topics/${topicId}/commentaries`)
  return { topicId, commentaryId: data.commentaries[0].commentary_id as string }
})

const seeded = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { call } = yield* TestApi
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const key = yield* Seed.issueApiKey(owner)
  const approve = (topicId: string, commentaryId: string, text = key.text, more: { readonly body?: unknown } = {}) =>
    call(`/partner/v1/topics/${topicId}/commentaries/${commentaryId}/approve`, { method: "POST", key: text, ...more })
  return { owner, persona, key, approve }
})

it.effect("an acceptance returns its time, appears in every view, and changes no status", () =>
  Effect.gen(function* () {
    const { approve, key, persona } = yield* seeded
    const { commentaryId, topicId } = yield* approvedBy(key.text, persona)
    const before = yield* getJson(key.text, `/topics/${topicId}/status`)
    yield* TestClock.adjust("1 hour")
    const answer = yield* approve(topicId, commentaryId)
    assert.strictEqual(answer.status, 200)
    const { share_id } = (yield* getJson(key.text, "/topics/by-reference/title")).data.commentaries[0]
    const entry = {
      commentary_id: commentaryId,
      persona: { id: persona.id, name: persona.name, image_url: persona.imageUrl },
      content: "They will win it.",
      audio_url: null,
      video_url: null,
      approved_at: "2026-03-01T09:00:00.000Z"
    }
    const moment = { partner_approved_at: "2026-03-01T10:00:00.000Z" }
    assert.deepStrictEqual(yield* readJson(answer), {
      success: true,
      data: { ...entry, topic_id: topicId, share_id, ...moment }
    })
    const { commentary_id: id, persona: _, ...rest } = entry
    const shown = { id, ...rest, ...moment }
    for (const path of [`/topics/${topicId}`, "/topics/by-reference/title"]) {
      const [first] = (yield* getJson(key.text, path)).data.commentaries
      assert.deepStrictEqual([first.status, first.commentary], ["completed", shown])
    }
    const ready = (yield* getJson(key.text, `/topics/${topicId}/commentaries`)).data.commentaries
    assert.deepStrictEqual(ready, [{ ...entry, ...moment }])
    assert.deepStrictEqual(yield* getJson(key.text, `/topics/${topicId}/status`), before)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("an acceptance is stored once: later and concurrent calls return the time of the first call", () =>
  Effect.gen(function* () {
    const { approve, key, owner, persona } = yield* seeded
    const sql = yield* SqlClient.SqlClient
    const { commentaryId, topicId } = yield* approvedBy(key.text, persona)
    const other = yield* Seed.issueApiKey(owner)
    const bytes = (answer: Response) => Effect.promise(() => answer.text())
    const together = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? key.text : other.text)),
      (text) => Effect.flatMap(approve(topicId, commentaryId, text), bytes),
      { concurrency: "unbounded" }
    )
    yield* TestClock.adjust("1 day")
    const later = yield* Effect.flatMap(approve(topicId, commentaryId, key.text, { body: { ignored: true } }), bytes)
    const upper = yield* Effect.flatMap(approve(topicId.toUpperCase(), commentaryId.toUpperCase()), bytes)
    assert.deepStrictEqual([...new Set([...together, later, upper])], [later])
    assert.include(later, '"partner_approved_at":"2026-03-01T09:00:00.000Z"')
    const record = yield* sql<{ readonly details: string }>`SELECT details FROM audit_log
      WHERE action = 'partner.approved'`
    assert.strictEqual(record.length, 1)
    const details = JSON.parse(record[0]?.details ?? "{}")
    assert.include([`key ${key.id}`, `key ${other.id}`], details.by)
    assert.strictEqual(details.commentary_id, commentaryId)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a commentary cannot be accepted if its creator has not approved it, or if it belongs to another topic", () =>
  Effect.gen(function* () {
    const { approve, key, owner, persona } = yield* seeded
    const mine = yield* approvedBy(key.text, persona)
    const second = yield* approvedBy(key.text, persona, "And who goes down this season?")
    const waiting = yield* submitTopic(key.text, "Is it all over by Easter?", [persona])
    const refusal = (topicId: string, commentaryId: string, text = key.text) =>
      Effect.flatMap(approve(topicId, commentaryId, text), (answer) =>
        Effect.map(readJson(answer), ({ error }) => [answer.status, error.code, error.message])
      )
    const noTopic = [404, "not_found", "Topic not found."]
    const noCommentary = [404, "not_found", "Commentary not found."]
    for (const commentary of [unknown, "not-an-id", second.commentaryId]) {
      assert.deepStrictEqual(yield* refusal(mine.topicId, commentary), noCommentary)
      assert.deepStrictEqual(yield* refusal(unknown, commentary), noTopic)
      assert.deepStrictEqual(yield* refusal("not-an-id", commentary), noTopic)
    }
    assert.deepStrictEqual(yield* refusal(waiting, mine.commentaryId), noCommentary)
    const stranger = yield* Seed.issueApiKey(yield* Seed.createOrganization({ name: "Other" }))
    const test = yield* Seed.issueApiKey(owner, { environment: "test" })
    for (const { text } of [stranger, test]) {
      assert.deepStrictEqual(yield* refusal(mine.topicId, mine.commentaryId, text), noTopic)
    }
    const reader = yield* Seed.issueApiKey(owner, { scopes: ["topics:read"] })
    const [status, code] = yield* refusal(mine.topicId, mine.commentaryId, reader.text)
    assert.deepStrictEqual([status, code], [401, "scope_denied"])
    const shown = (yield* getJson(key.text, `/topics/${mine.topicId}/commentaries`)).data.commentaries
    assert.isNull(shown[0].partner_approved_at)
    const { call } = yield* TestApi
    const path = `/partner/v1/topics/${mine.topicId}/commentaries/${mine.commentaryId}/approve`
    assert.strictEqual((yield* call(path, { key: key.text })).status, 404)
  }).pipe(Effect.provide(InMemory.layer))
)
