/** Tests how many round trips to Postgres each request needs. A proxy counts the round trips. */
import { assert, it } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { readJson } from "../support/Json.ts"
import * as RecordedPostgres from "../support/RecordedPostgres.ts"

const content = "Who will win the cup this year?"

it.effect(
  "POST /topics needs two round trips to Postgres for any number of personas, because one statement writes the topic",
  () =>
    Effect.gen(function* () {
      const { call } = yield* TestApi
      const owner = yield* Seed.createOrganization()
      const personas = yield* Effect.forEach(Array.from({ length: 50 }), () => Seed.createPersona(owner))
      const { text: key } = yield* Seed.issueApiKey(owner)
      const post = (personas: ReadonlyArray<{ readonly id: string }>, more: object = {}) =>
        call("/partner/v1/topics", {
          method: "POST",
          key,
          body: { content: `${content} ${personas.length}`, persona_ids: personas.map(({ id }) => id) },
          ...more
        })
      yield* post(personas.slice(0, 2))
      for (const some of [personas.slice(0, 1), personas.slice(0, 3), personas]) {
        const { answer, turns } = yield* RecordedPostgres.recordRoundTrips(post(some))
        assert.strictEqual(answer.status, 201)
        assert.strictEqual((yield* readJson(answer)).data.personas_sent, some.length)
        assert.deepStrictEqual(turns.map(RecordedPostgres.summarizeStatements), ["SELECT licenses", "WITH"])
      }
    }).pipe(Effect.provide(RecordedPostgres.layer))
)

it.effect(
  "POST /topics with an Idempotency-Key claims the key, writes the topic and stores the response in one transaction",
  () =>
    Effect.gen(function* () {
      const { call } = yield* TestApi
      const owner = yield* Seed.createOrganization()
      const persona = yield* Seed.createPersona(owner)
      const { text: key } = yield* Seed.issueApiKey(owner)
      const post = (number: number) =>
        call("/partner/v1/topics", {
          method: "POST",
          key,
          headers: { "idempotency-key": `own-${number}` },
          body: { content: `${content} ${number}`, persona_ids: [persona.id] }
        })
      yield* post(0)
      const first = yield* RecordedPostgres.recordRoundTrips(post(1))
      assert.strictEqual(first.answer.status, 201)
      assert.deepStrictEqual(first.turns.map(RecordedPostgres.summarizeStatements), [
        "SELECT stored_responses",
        "SELECT licenses",
        "BEGIN",
        "WITH",
        "WITH",
        "UPDATE stored_responses",
        "COMMIT"
      ])
      const again = yield* RecordedPostgres.recordRoundTrips(post(1))
      assert.strictEqual(again.answer.headers.get("idempotency-replayed"), "true")
      assert.deepStrictEqual(again.turns.map(RecordedPostgres.summarizeStatements), ["SELECT stored_responses"])
    }).pipe(Effect.provide(RecordedPostgres.layer))
)

it.effect("once the API key is cached, a status request needs one round trip to Postgres and writes nothing", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization()
    const personas = yield* Effect.forEach(Array.from({ length: 3 }), () => Seed.createPersona(owner))
    const { text: key } = yield* Seed.issueApiKey(owner)
    const body = { content, persona_ids: personas.map(({ id }) => id) }
    const created = yield* readJson(yield* call("/partner/v1/topics", { method: "POST", key, body }))
    const status = call(`/partner/v1/topics/${created.data.topic_id}/status`, { key })
    const { answer, turns } = yield* RecordedPostgres.recordRoundTrips(status)
    assert.strictEqual(answer.status, 200)
    assert.deepStrictEqual(turns.map(RecordedPostgres.summarizeStatements), ["SELECT topics"])
  }).pipe(Effect.provide(RecordedPostgres.layer))
)

it.effect("concurrent submissions and status requests share round trips, and each caller gets its own result", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    const post = (number: number) => {
      const body = { content: `${content} ${number}`, persona_ids: [persona.id] }
      return Effect.flatMap(call("/partner/v1/topics", { method: "POST", key, body }), readJson)
    }
    const ids = [(yield* post(0)).data.topic_id]
    const numbers = Array.from({ length: 20 }, (_, index) => index)
    const posted = yield* RecordedPostgres.recordRoundTrips(Effect.forEach(numbers, post, { concurrency: "unbounded" }))
    // The first topic is a duplicate of an earlier topic.
    assert.lengthOf(
      posted.answer.filter(({ success }) => success),
      19
    )
    ids.push(...posted.answer.slice(1).map(({ data }) => data.topic_id))
    const written = posted.turns.map(RecordedPostgres.summarizeStatements).filter((kind) => kind !== "SELECT licenses")
    assert.isTrue(written.every((kind) => kind === "WITH"))
    assert.isAtMost(written.length, 10)
    const polled = yield* RecordedPostgres.recordRoundTrips(
      Effect.forEach(ids, (id) => Effect.flatMap(call(`/partner/v1/topics/${id}/status`, { key }), readJson), {
        concurrency: "unbounded"
      })
    )
    assert.deepStrictEqual(
      polled.answer.map(({ data }) => [data.topic_id, data.personas.length]),
      ids.map((id) => [id, 1])
    )
    assert.isTrue(polled.turns.map(RecordedPostgres.summarizeStatements).every((kind) => kind === "SELECT topics"))
    assert.isAtMost(polled.turns.length, 10)
  }).pipe(Effect.provide(RecordedPostgres.layer))
)

// On a database that is sharded by organization, a statement with the organization's id runs on a single shard.
it.effect("every SQL statement of a submission or a read contains the organization's id", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    const body = { content, persona_ids: [persona.id], external_reference: "own-1" }
    const submitted = yield* RecordedPostgres.recordRoundTrips(
      call("/partner/v1/topics", { method: "POST", key, body })
    )
    const id = (yield* readJson(submitted.answer)).data.topic_id
    const reads = [`/${id}`, `/${id}/status`, `/${id}/commentaries`, "/by-reference/own-1", "", "?status=pending"]
    const paths = [...reads.map((path) => `/topics${path}`), "/personas", "/events", "/usage"]
    const { answer: statuses, turns } = yield* RecordedPostgres.recordRoundTrips(
      Effect.forEach(paths, (path) => Effect.map(call(`/partner/v1${path}`, { key }), ({ status }) => status))
    )
    assert.deepStrictEqual(
      statuses,
      paths.map(() => 200)
    )
    // The tables of keys and organizations are small, and each node has a copy of both tables.
    const needsNone = (text: string) =>
      /^(BEGIN|COMMIT)$/.test(text) || /^SELECT .* FROM (api_keys|organizations)\b/.test(text)
    const statements = [...submitted.turns, ...turns].flat()
    assert.isAbove(statements.length, paths.length - 2)
    assert.deepStrictEqual(
      statements.filter((text) => !text.includes("organization_id") && !needsNone(text)),
      []
    )
  }).pipe(Effect.provide(RecordedPostgres.layer))
)
