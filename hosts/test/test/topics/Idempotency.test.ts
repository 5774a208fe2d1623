/**
 * Tests repeated requests with one idempotency key. The service runs the request once and always returns the first
 * response, even if the state has changed since.
 */

import { assert, it } from "@effect/vitest"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as InMemory from "@partner-commentary/test/InMemory"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually, runWhileTimePasses } from "../support/Eventually.ts"
import { makeWritesFail, stopWriteFailures } from "../support/FailingWrites.ts"
import { readJson } from "../support/Json.ts"

const path = "/partner/v1/topics"

const setUp = Effect.gen(function* () {
  const { call } = yield* TestApi
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  const topic = { content: "Who will win the cup this year?", persona_ids: [persona.id] }
  const post = (
    idempotencyKey: string,
    given: { readonly body?: unknown; readonly key?: string; readonly path?: string } = {}
  ) =>
    call(given.path ?? path, {
      method: "POST",
      key: given.key ?? key,
      body: given.body ?? topic,
      headers: { "idempotency-key": idempotencyKey }
    })
  const total = Effect.map(
    Effect.flatMap(call(path, { key }), readJson),
    ({ pagination }) => pagination.total as number
  )
  return { call, owner, persona, key, topic, post, total }
})

/** Waits 50 ms in real time, so that a fiber that was signalled has resumed. */
const pause = Effect.callback<void>((resume) => {
  setTimeout(() => resume(Effect.void), 50)
})

/**
 * Returns the response without its request-specific parts: the request id, the rate-limit headers, and the replay
 * header.
 */
const seen = Effect.fnUntraced(function* (response: Response) {
  const own = /^x-request-id$|^(x-)?ratelimit|^idempotency-replayed$/
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.test(name)))
  const replayed = response.headers.get("idempotency-replayed") ?? undefined
  return { replayed, status: response.status, headers, body: yield* Effect.promise(() => response.text()) }
})

it.effect("a request that is repeated with its idempotency key does not run again and gets the first response", () =>
  Effect.gen(function* () {
    const { post, total } = yield* setUp
    const first = yield* Effect.flatMap(post("a"), seen)
    assert.strictEqual(first.status, 201)
    assert.isUndefined(first.replayed)
    for (const _ of [1, 2]) {
      const again = yield* Effect.flatMap(post("a"), seen)
      assert.deepStrictEqual(again, { ...first, replayed: "true" })
    }
    assert.isTrue(first.headers["location"]?.endsWith(JSON.parse(first.body).data.topic_id))
    assert.strictEqual(yield* total, 1)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a request with a used idempotency key and another body is refused, even if the bodies differ only in a space",
  () =>
    Effect.gen(function* () {
      const { post, topic, total } = yield* setUp
      yield* post("a")
      for (const body of [{ ...topic, content: `${topic.content} Really?` }, ` ${JSON.stringify(topic)}`]) {
        const response = yield* post("a", { body })
        assert.strictEqual(response.status, 400)
        const { error } = yield* readJson(response)
        assert.strictEqual(error.code, "invalid_request")
        assert.strictEqual(error.details.field, "Idempotency-Key")
        assert.strictEqual(error.details.constraint, "must be a new one: it was used with another body already")
      }
      assert.strictEqual(yield* total, 1)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the same idempotency key counts as a different key in another organization, environment or path", () =>
  Effect.gen(function* () {
    const { owner, persona, post, topic } = yield* setUp
    const other = yield* Seed.createOrganization()
    yield* Seed.licensePersona(other, persona)
    const [test, foreign] = [yield* Seed.issueApiKey(owner, { environment: "test" }), yield* Seed.issueApiKey(other)]
    const answers = [
      yield* post("a"),
      yield* post("a", { key: test.text }),
      yield* post("a", { key: foreign.text }),
      yield* post("a", { path: `${path}/bulk`, body: { topics: [{ ...topic, content: "And who the year after?" }] } })
    ]
    assert.deepStrictEqual(
      answers.map(({ headers, status }) => [status, headers.get("idempotency-replayed")]),
      [
        [201, null],
        [201, null],
        [201, null],
        [200, null]
      ]
    )
    const ids = yield* Effect.forEach(answers.slice(0, 3), (answer) =>
      Effect.map(readJson(answer), ({ data }) => data.topic_id)
    )
    assert.strictEqual(new Set(ids).size, 3)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a refusal is not stored, so the same request runs again under the same idempotency key", () =>
  Effect.gen(function* () {
    const { owner, post, total } = yield* setUp
    const unlicensed = yield* Seed.createPersona(null)
    const body = { content: "Who will win the cup this year?", persona_ids: [unlicensed.id] }
    assert.strictEqual((yield* post("a", { body })).status, 400)
    assert.strictEqual((yield* post("a", { body: "{" })).status, 400)
    yield* Seed.licensePersona(owner, unlicensed)
    const taken = yield* post("a", { body })
    assert.deepStrictEqual([taken.status, taken.headers.get("idempotency-replayed")], [201, null])
    assert.strictEqual(yield* total, 1)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "only one of 20 concurrent requests with the same idempotency key runs, and all 20 requests get the same response",
  () =>
    Effect.gen(function* () {
      const { post, total } = yield* setUp
      const answers = yield* runWhileTimePasses(
        Effect.forEach(Array.from({ length: 20 }), () => Effect.flatMap(post("a"), seen), { concurrency: "unbounded" })
      )
      assert.strictEqual(answers.filter(({ replayed }) => replayed === undefined).length, 1)
      const [first] = answers
      for (const { body, headers, status } of answers) {
        assert.deepStrictEqual({ body, headers, status }, { body: first?.body, headers: first?.headers, status: 201 })
      }
      assert.strictEqual(yield* total, 1)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "20 concurrent requests with different idempotency keys all run, and each request gets its own response",
  () =>
    Effect.gen(function* () {
      const { post, topic, total } = yield* setUp
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => ({ ...topic, content: `${topic.content} ${index}` })),
        (body, index) => Effect.flatMap(post(`key-${index}`, { body }), readJson),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map(({ data }) => data.content),
        answers.map((_, index) => `${topic.content} ${index}`)
      )
      assert.strictEqual(yield* total, 20)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "if storing the response fails, nothing else is stored: no topic, no mail, no duplicate window, no signal",
  () =>
    Effect.gen(function* () {
      const { persona, post, total } = yield* setUp
      const sql = yield* SqlClient.SqlClient
      const mailbox = yield* Mailbox
      const wait = yield* (yield* WorkSignal).listen("mails")
      const fault = {
        table: "stored_responses",
        on: "UPDATE",
        rows: (row: string) => `${row}status IS NOT NULL`
      } as const
      yield* makeWritesFail(sql, fault)
      const signalled = yield* Effect.forkChild(wait(Duration.days(1)))
      assert.strictEqual((yield* post("a")).status, 500)
      assert.strictEqual(yield* total, 0)
      yield* pause
      assert.isUndefined(signalled.pollUnsafe())
      yield* stopWriteFailures(sql, fault)
      const again = yield* post("a")
      assert.deepStrictEqual([again.status, again.headers.get("idempotency-replayed")], [201, null])
      yield* Fiber.join(signalled)
      yield* eventually(
        "the mail to the creator",
        Effect.map(mailbox.to(persona.creator.email), ({ length }) => length === 1)
      )
      assert.strictEqual(yield* total, 1)
    }).pipe(Effect.scoped, Effect.provide(InMemory.layer))
)

it.effect("an idempotency key can be used again after exactly 24 hours, and not a millisecond earlier", () =>
  Effect.gen(function* () {
    const { post, total } = yield* setUp
    const first = yield* Effect.flatMap(post("a"), seen)
    yield* TestClock.adjust(24 * 60 * 60 * 1000 - 1)
    assert.deepStrictEqual(yield* Effect.flatMap(post("a"), seen), { ...first, replayed: "true" })
    yield* TestClock.adjust(1)
    const anew = yield* Effect.flatMap(post("a"), seen)
    assert.deepStrictEqual([anew.status, anew.replayed], [201, undefined])
    assert.notStrictEqual(anew.body, first.body)
    assert.strictEqual(yield* total, 2)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "an invalid idempotency key is refused before the request runs, but a missing permission is reported first",
  () =>
    Effect.gen(function* () {
      const { call, post, topic, total } = yield* setUp
      for (const bad of ["", "a b", "a, a", "é", "\t", "k".repeat(256)]) {
        const response = yield* post(bad)
        assert.strictEqual(response.status, 400, bad)
        const { error } = yield* readJson(response)
        assert.strictEqual(error.details.field, "Idempotency-Key", bad)
        assert.match(error.details.constraint, /^must be given once, as 1 to 255 visible ASCII/)
      }
      const twice = yield* call(path, {
        method: "POST",
        key: "garbage",
        body: topic,
        headers: { "idempotency-key": "a b" }
      })
      assert.strictEqual(twice.status, 401)
      assert.strictEqual(yield* total, 0)
      for (const good of ["k".repeat(255), "!~\"'{}"]) {
        const body = { ...topic, content: `${topic.content} ${good.length}` }
        assert.strictEqual((yield* post(good, { body })).status, 201, good)
      }
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a read request with an idempotency key runs again each time", () =>
  Effect.gen(function* () {
    const { call, key, post } = yield* setUp
    const list = () => Effect.flatMap(call(path, { key, headers: { "idempotency-key": "a b" } }), readJson)
    assert.strictEqual((yield* list()).pagination.total, 0)
    yield* post("a")
    assert.strictEqual((yield* list()).pagination.total, 1)
  }).pipe(Effect.provide(InMemory.layer))
)
