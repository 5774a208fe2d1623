/** Tests that a partner can cancel a topic. Unanswered assignments fail, and answered assignments continue. */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"
import { actAsCreator, findCreatorToken, getJson, submitTopic, waitForStatus } from "../support/Requests.ts"

const start = Date.parse("2026-03-01T09:00:00.000Z")
const content = "Who takes the title this season?"
const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
const at = "2026-03-01T10:00:00.000Z"

const seeded = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { call } = yield* TestApi
  const owner = yield* Seed.createOrganization({ limits: { commentaries_per_month: 3 } })
  const answered = yield* Seed.createPersona(owner, { name: "Ada Answers" })
  const silent = yield* Seed.createPersona(owner, { name: "Sol Silent" })
  const { text: key, id: keyId } = yield* Seed.issueApiKey(owner)
  const cancel = (topicId: string, as = key, more: { readonly headers?: Record<string, string> } = {}) =>
    call(`/partner/v1/topics/${topicId}/cancel`, { method: "POST", key: as, ...more })
  return { answered, call, cancel, key, keyId, owner, silent }
})

const entryOf = (data: { personas: ReadonlyArray<{ persona_id: string }> }, { id }: { readonly id: string }) =>
  // biome-ignore lint/suspicious/noExplicitAny: the test reads the response's JSON without validation
  data.personas.find(({ persona_id }) => persona_id === id) as any

it.effect(
  "after a topic is cancelled, its unanswered assignments fail as cancelled, and its answered assignments continue",
  () =>
    Effect.gen(function* () {
      const { answered, cancel, key, keyId, silent } = yield* seeded
      const sql = yield* SqlClient.SqlClient
      const topicId = yield* submitTopic(key, content, [answered, silent], { external_reference: "title" })
      const token = yield* findCreatorToken(answered, content)
      const other = yield* findCreatorToken(silent, content)
      yield* actAsCreator(token, "respond", { perspective: "They will win it, and by some distance." })
      yield* waitForStatus(key, topicId, answered, "commentary_generated")
      assert.strictEqual((yield* getJson(key, "/usage")).data.remaining.commentaries, 1)
      yield* TestClock.adjust("1 hour")

      const answer = yield* cancel(topicId)
      assert.strictEqual(answer.status, 200)
      const { data } = yield* readJson(answer)
      assert.deepInclude(entryOf(data, silent), {
        status: "topic_sent",
        has_commentary: false,
        failure: { reason: "cancelled", at },
        expires_at: null
      })
      assert.deepInclude(entryOf(data, answered), { status: "commentary_generated", failure: null })
      assert.strictEqual(data.overall_status, "in_progress")
      assert.deepStrictEqual((yield* getJson(key, `/topics/${topicId}/status`)).data, data)
      for (const path of [`/topics/${topicId}`, "/topics/by-reference/title"]) {
        const { commentaries, summary } = (yield* getJson(key, path)).data
        assert.deepInclude(commentaries[1], { status: "failed", failure: { reason: "cancelled", at } })
        assert.deepInclude(summary, { total_personas: 2, completed: 0, pending: 1, failed: 1 })
      }
      assert.strictEqual((yield* getJson(key, "/usage")).data.remaining.commentaries, 2)
      const [event] = (yield* getJson(key, "/events?type=commentary.failed")).data
      assert.deepInclude(event.data, { status: "topic_sent", reason: "cancelled" })
      assert.deepInclude(event.data.topic, { status: "in_progress" })
      const [record] = yield* sql<{ details: string }>`SELECT details FROM audit_log WHERE action = 'partner.cancelled'`
      assert.deepStrictEqual(JSON.parse(record?.details ?? ""), { by: `key ${keyId}` })
      const { counts } = (yield* getJson(key, "/metrics/performance")).data.overall
      assert.deepInclude(counts, { sent: 2, pending: 1, cancelled: 1, withdrawn: 0 })

      const refused = yield* actAsCreator(other, "respond", { perspective: "A bit too late, I am afraid." })
      assert.strictEqual(refused.error.details.field, "action")
      assert.include(refused.error.details.constraint, "(cancelled)")
      assert.strictEqual((yield* actAsCreator(other, "decline", {})).success, false)
      yield* actAsCreator(token, "approve")
      const done = (yield* getJson(key, `/topics/${topicId}/status`)).data
      assert.strictEqual(done.overall_status, "completed")
      assert.isTrue(entryOf(done, answered).has_commentary)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the creator of a cancelled request gets one mail, and the creator's page shows the cancellation", () =>
  Effect.gen(function* () {
    const { call, cancel, key, silent } = yield* seeded
    const mailbox = yield* Mailbox
    const topicId = yield* submitTopic(key, content, [silent])
    const token = yield* findCreatorToken(silent, content)
    for (const _ of [1, 2, 3]) assert.strictEqual((yield* cancel(topicId)).status, 200)
    const mails = yield* eventually(
      "the mail about the cancellation",
      Effect.map(mailbox.to(silent.creator.email), (sent) => (sent.length > 1 ? sent : undefined))
    )
    assert.lengthOf(mails, 2)
    assert.include(mails[1]?.subject, "no longer needs")
    assert.include(mails[1]?.text, content)
    yield* TestClock.adjust("3 days")
    assert.lengthOf(yield* mailbox.to(silent.creator.email), 2)
    const page = yield* Effect.flatMap(call(`/creator/${token}`), (response) => Effect.promise(() => response.text()))
    assert.include(page, "Cancelled")
    assert.include(page, content)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a second cancellation changes nothing and returns the same status", () =>
  Effect.gen(function* () {
    const { cancel, key, silent } = yield* seeded
    const topicId = yield* submitTopic(key, content, [silent])
    const body = (answer: Response) => Effect.promise(() => answer.text())
    const together = yield* Effect.forEach(Array.from({ length: 10 }), () => Effect.flatMap(cancel(topicId), body), {
      concurrency: "unbounded"
    })
    yield* TestClock.adjust("1 hour")
    const later = yield* Effect.flatMap(cancel(topicId.toUpperCase()), body)
    const keyed = yield* cancel(topicId, key, { headers: { "idempotency-key": "once" } })
    const again = yield* cancel(topicId, key, { headers: { "idempotency-key": "once" } })
    assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
    const all = new Set([...together, later, yield* body(keyed), yield* body(again)])
    assert.deepStrictEqual([...all], [later])
    assert.include(later, '"overall_status":"completed"')
    assert.lengthOf((yield* getJson(key, "/events?type=commentary.failed")).data, 1)
    assert.strictEqual((yield* getJson(key, "/usage")).data.remaining.commentaries, 3)
    assert.strictEqual((yield* getJson(key, "/topics?status=completed")).pagination.total, 1)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("if a cancellation and a creator's answer are simultaneous, exactly one of them succeeds", () =>
  Effect.gen(function* () {
    const { cancel, key, owner } = yield* seeded
    for (let round = 0; round < 3; round++) {
      const persona = yield* Seed.createPersona(owner)
      const asked = `${content} Round ${round}`
      const topicId = yield* submitTopic(key, asked, [persona])
      const token = yield* findCreatorToken(persona, asked)
      const respond = actAsCreator(token, "respond", { perspective: "They will win it, and by some distance." })
      const [said, { data }] = yield* Effect.all([respond, Effect.flatMap(cancel(topicId), readJson)], {
        concurrency: "unbounded"
      })
      const entry = entryOf((yield* getJson(key, `/topics/${topicId}/status`)).data, persona)
      const isCancelled = entry.failure?.reason === "cancelled"
      assert.strictEqual(said.success, !isCancelled)
      assert.strictEqual(data.personas[0].failure?.reason === "cancelled", isCancelled)
      assert.strictEqual(entry.status === "topic_sent", isCancelled)
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the cancellation of another organization's, another environment's or an unknown topic gets 404", () =>
  Effect.gen(function* () {
    const { cancel, key, owner, silent } = yield* seeded
    const topicId = yield* submitTopic(key, content, [silent])
    const stranger = yield* Seed.issueApiKey(yield* Seed.createOrganization({ name: "Other" }))
    const test = yield* Seed.issueApiKey(owner, { environment: "test" })
    const refusal = (id: string, as = key) =>
      Effect.flatMap(cancel(id, as), (answer) =>
        Effect.map(readJson(answer), ({ error }) => [answer.status, error.code, error.message])
      )
    const notFound = [404, "not_found", "Topic not found."]
    for (const { text } of [stranger, test]) assert.deepStrictEqual(yield* refusal(topicId, text), notFound)
    for (const id of [unknown, "not-an-id"]) assert.deepStrictEqual(yield* refusal(id), notFound)
    const reader = yield* Seed.issueApiKey(owner, { scopes: ["topics:read"] })
    assert.deepStrictEqual((yield* refusal(topicId, reader.text)).slice(0, 2), [401, "scope_denied"])
    assert.isNull((yield* getJson(key, `/topics/${topicId}/status`)).data.personas[0].failure)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("when a test key cancels a topic, the topic's simulated creators stop", () =>
  Effect.gen(function* () {
    const { call, cancel, owner } = yield* seeded
    const { text: key } = yield* Seed.issueApiKey(owner, { environment: "test" })
    const body = { content, persona_ids: ["7e570000-0000-4000-8000-000000000005"] }
    const created = yield* readJson(yield* call("/partner/v1/topics", { method: "POST", key, body }))
    const { data } = yield* readJson(yield* cancel(created.data.topic_id, key))
    assert.strictEqual(data.personas[0].failure.reason, "cancelled")
    const share = created.data.results[0].share_id
    const advanced = yield* call(`/partner/v1/test/assignments/${share}/advance`, { method: "POST", key, body: {} })
    assert.strictEqual(advanced.status, 400)
    assert.isEmpty(yield* (yield* Mailbox).all)
  }).pipe(Effect.provide(InMemory.layer))
)
