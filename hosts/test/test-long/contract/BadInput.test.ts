/**
 * Tests that invalid input always gets a 4xx response, never a 5xx. The response names the problem and the field, and
 * nothing is stored.
 */

import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { readJson } from "../../test/support/Json.ts"

const runs = 250
const persona = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
const valid = { content: "Will the Lakers make the play-offs?", persona_ids: [persona] }

const notText = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.string()),
  fc.dictionary(fc.string(), fc.string())
)
const notUuid = fc.oneof(
  fc.string().filter((text) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)),
  notText
)
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
const body = (fields: string) => `{"content":${JSON.stringify(valid.content)},"persona_ids":["${persona}"],${fields}}`

/** Generates an invalid body, with a pattern for the field that the error must name. */
const badBodies: fc.Arbitrary<readonly [string, RegExp]> = fc.oneof(
  fc
    .string()
    .filter((text) => !isJson(text))
    .map((text) => [text, /^body$/] as const),
  fc
    .jsonValue()
    .filter((json) => typeof json !== "object" || json === null || Array.isArray(json))
    .map((json) => [JSON.stringify(json), /^(body|content|persona_ids)$/] as const),
  notText.map((content) => [JSON.stringify({ ...valid, content }), /^content$/] as const),
  fc.string({ maxLength: 9 }).map((content) => [JSON.stringify({ ...valid, content }), /^content$/] as const),
  fc
    .string({ minLength: 501, maxLength: 700 })
    .map((text) => [JSON.stringify({ ...valid, content: `x${text}x` }), /^content$/] as const),
  fc
    .constantFrom("\u0000", "\u0007", "\u001b")
    .map((control) => [JSON.stringify({ ...valid, content: `${valid.content + control}x` }), /^content$/] as const),
  fc.constant([JSON.stringify({ persona_ids: [persona] }), /^content$/] as const),
  fc.constant([JSON.stringify({ content: valid.content }), /^persona_ids$/] as const),
  fc
    .oneof(
      fc.constant([]),
      fc.constant(Array.from({ length: 101 }, () => persona)),
      notText.filter((value) => !Array.isArray(value))
    )
    .map((persona_ids) => [JSON.stringify({ ...valid, persona_ids }), /^persona_ids$/] as const),
  fc
    .tuple(fc.nat({ max: 5 }), notUuid)
    .map(
      ([before, id]) =>
        [
          JSON.stringify({ ...valid, persona_ids: [...Array.from({ length: before }, () => persona), id] }),
          new RegExp(`^persona_ids\\[${before}\\]$`)
        ] as const
    ),
  fc
    .oneof(
      notText,
      fc.constantFrom("", ".", "..", "a b", "ü", "a/b", "x".repeat(257), "a\n"),
      fc.string().filter((text) => !/^[A-Za-z0-9\-_.:]{1,256}$/.test(text))
    )
    .map((external_reference) => [JSON.stringify({ ...valid, external_reference }), /^external_reference$/] as const),
  fc
    .oneof(
      notText.filter((value) => !Array.isArray(value)),
      fc.constant([]),
      fc.constantFrom(["video", "gif"], ["text", 1], ["text", "text"], [null])
    )
    .map((output_types) => [JSON.stringify({ ...valid, output_types }), /^output_types(\[\d\])?$/] as const),
  fc
    .oneof(
      fc.integer(),
      fc.string(),
      fc.constant(null),
      fc.array(fc.integer()),
      fc.constant({ big: "x".repeat(16 * 1024) })
    )
    .map((metadata) => [JSON.stringify({ ...valid, metadata }), /^metadata$/] as const),
  fc.integer({ min: 33, max: 200 }).map((depth) => [body(`"metadata":${nested(depth)}`), /^metadata/] as const),
  fc
    .constantFrom("12345678901234567890", "1e400", "-1e999", "0.1234567890123456789012", "9007199254740993")
    .map((number) => [body(`"metadata":{"n":${number}}`), /^metadata\.n$/] as const),
  fc
    .constantFrom('"\\ud800"', '"a\\udc00b"', '"\\ud83dx"')
    .map((text) => [body(`"metadata":{"s":[${text}]}`), /^metadata\.s\[0\]$/] as const),
  fc
    .constantFrom('{"k":1,"k":2}', '{"k":1,"\\u006b":1}')
    .map((twice) => [body(`"metadata":${twice}`), /^metadata\.k$/] as const),
  fc.constant([body(`"content":"given twice, once more"`), /^content$/] as const)
)

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Runs a property-based test whose cases are effects. All cases share one application. */
const forAll = <A>(arbitrary: fc.Arbitrary<A>, check: (value: A) => Effect.Effect<void, never, TestApi>) =>
  Effect.forEach(fc.sample(arbitrary, { numRuns: runs, seed: 2026 }), check, { discard: true })

const refused = Effect.fnUntraced(function* (response: Response, field: RegExp | null, what: string) {
  const text = yield* Effect.promise(() => response.text())
  assert.isTrue(response.status >= 400 && response.status < 500, `${what} → ${response.status} ${text}`)
  assert.strictEqual(response.headers.get("content-type"), "application/json")
  const { error, success } = JSON.parse(text)
  assert.isFalse(success)
  assert.isString(error.message)
  if (response.status === 400) {
    assert.strictEqual(error.code, "invalid_request", what)
    assert.deepInclude(error.details.errors[0], { field: error.details.field, constraint: error.details.constraint })
    assert.match(error.details.constraint, /^[a-z].{8,}$/)
    if (field !== null) assert.match(error.details.field, field, `${what} → ${text}`)
  } else if (field !== null) assert.fail(`${what} → ${response.status}`)
})

const setUp = Effect.gen(function* () {
  const owner = yield* Seed.createOrganization()
  const licensed = yield* Seed.createPersona(owner, { id: persona as never })
  return { key: (yield* Seed.issueApiKey(owner)).text, licensed, call: (yield* TestApi).call }
})

const nothingStored = (key: string) =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const list = yield* call("/partner/v1/topics", { key })
    const { pagination } = yield* readJson(list)
    assert.strictEqual(pagination.total, 0)
    const still = yield* call("/partner/v1/topics", { method: "POST", key, body: valid })
    assert.strictEqual(still.status, 201, "the refused ones left no duplicate window behind")
  })

it.effect(
  "POST /topics reports the invalid part of any malformed body, and stores nothing",
  () =>
    Effect.gen(function* () {
      const { call, key } = yield* setUp
      yield* forAll(badBodies, ([text, field]) =>
        Effect.flatMap(
          call("/partner/v1/topics", {
            method: "POST",
            key,
            body: text,
            headers: { "content-type": "application/json" }
          }),
          (response) => refused(response, field, text.slice(0, 300))
        )
      )
      yield* nothingStored(key)
    }).pipe(Effect.provide(InMemory.layer)),
  60_000
)

it.effect(
  "POST /topics reports all problems in one response, with the first problem at the top level of the details",
  () =>
    Effect.gen(function* () {
      const { call, key } = yield* setUp
      const response = yield* call("/partner/v1/topics", {
        method: "POST",
        key,
        body: { content: 1, persona_ids: ["x", persona, 2], output_types: ["gif"], metadata: [] }
      })
      const { error } = yield* readJson(response)
      assert.deepStrictEqual(error.details, {
        field: "content",
        constraint: "must be a string",
        errors: [
          { field: "content", constraint: "must be a string" },
          { field: "persona_ids[0]", constraint: "must be a UUID" },
          { field: "persona_ids[2]", constraint: "must be a string" },
          { field: "output_types[0]", constraint: "must be text, audio or video" },
          { field: "metadata", constraint: "must be an object" }
        ]
      })
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("POST /topics reports problems that a JSON schema cannot express in the same list as other problems", () =>
  Effect.gen(function* () {
    const { call, key } = yield* setUp
    const body = {
      content: "x",
      persona_ids: ["q"],
      external_reference: "a b",
      metadata: { pad: "x".repeat(17_000) }
    }
    const { error } = yield* readJson(yield* call("/partner/v1/topics", { method: "POST", key, body }))
    assert.deepStrictEqual(
      error.details.errors.map((problem: { readonly field: string }) => problem.field),
      ["content", "persona_ids[0]", "external_reference", "metadata"]
    )
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("POST /topics answers a very long list of invalid entries with a short error response", () =>
  Effect.gen(function* () {
    const { call, key } = yield* setUp
    for (const entry of [1, "", null]) {
      const persona_ids = Array.from({ length: 50_000 }, () => entry)
      const response = yield* call("/partner/v1/topics", { method: "POST", key, body: { ...valid, persona_ids } })
      const text = yield* Effect.promise(() => response.text())
      assert.strictEqual(response.status, 400)
      assert.isBelow(text.length, 10_000)
      assert.strictEqual(JSON.parse(text).error.details.field, "persona_ids")
    }
    const many = { ...valid, persona_ids: Array.from({ length: 999 }, () => 1) }
    const { error } = yield* readJson(yield* call("/partner/v1/topics", { method: "POST", key, body: many }))
    assert.strictEqual(error.details.errors.length, 100)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("an invalid percent escape in a reference gets the same error as an invalid reference", () =>
  Effect.gen(function* () {
    const { call, key } = yield* setUp
    for (const escape of ["%zz", "%", "%ff", "a%2", "%c3%28", "%zz?x=%20"]) {
      const path = `/partner/v1/topics/by-reference/${escape}`
      yield* refused(yield* call(path, { key }), /^ref$/, escape)
      assert.strictEqual((yield* call(path)).status, 401, escape)
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a semicolon and the text after the semicolon are part of the path, not a parameter", () =>
  Effect.gen(function* () {
    const { call, key } = yield* setUp
    yield* call("/partner/v1/topics", { method: "POST", key, body: { ...valid, external_reference: "mine" } })
    assert.strictEqual((yield* call("/partner/v1/topics/by-reference/mine", { key })).status, 200)
    yield* refused(yield* call("/partner/v1/topics/by-reference/mine;x", { key }), /^ref$/, ";")
    for (const path of ["/partner/v1/topics;x", "/partner/v1/personas;v=1", "/healthz;x"]) {
      assert.strictEqual((yield* call(path, { key })).status, 404, path)
    }
    assert.strictEqual((yield* call("/partner/v1/topics?status=pending;x", { key })).status, 400)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("POST /topics accepts only JSON in UTF-8, up to 256 KiB", () =>
  Effect.gen(function* () {
    const { call, key } = yield* setUp
    const post = (body: unknown, type?: string) =>
      call("/partner/v1/topics", {
        method: "POST",
        key,
        body,
        headers: type === undefined ? {} : { "content-type": type }
      })
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json; charset=latin1",
      "application/jsonx",
      "nonsense"
    ]) {
      yield* refused(yield* post(JSON.stringify(valid), type), /^content-type$/, type)
    }
    yield* refused(yield* post(`{"pad":"${"x".repeat(256 * 1024)}"}`, "application/json"), /^body$/, "too large")
    yield* refused(yield* post("", "application/json"), /^body$/, "empty")
    yield* nothingStored(key)
    const again = yield* post(
      JSON.stringify({ ...valid, content: `${valid.content} 2` }),
      'application/json; charset="UTF-8"'
    )
    assert.strictEqual(again.status, 201)
  }).pipe(Effect.provide(InMemory.layer))
)

const badNumber = fc.oneof(
  fc.string({ minLength: 1 }).filter((text) => !/^\d+$/.test(text)),
  fc.constantFrom("-1", "1.5", "1e2", "0x10", "NaN", "Infinity", "", " 1", "١")
)
const badQueries = fc.oneof(
  fc.tuple(fc.constant("limit"), fc.oneof(badNumber, fc.constantFrom("0", "101", "99999999999999999999"))),
  fc.tuple(fc.constant("offset"), fc.oneof(badNumber, fc.constantFrom("10001", "99999999999999999999"))),
  fc.tuple(
    fc.constant("status"),
    fc.string().filter((text) => !["pending", "in_progress", "partial", "completed"].includes(text))
  ),
  fc.tuple(fc.constant("cursor"), fc.string())
)

it.effect(
  "the error response of GET /topics states which query parameter is invalid",
  () =>
    Effect.gen(function* () {
      const { call, key } = yield* setUp
      yield* forAll(badQueries, ([name, value]) =>
        Effect.flatMap(
          call(`/partner/v1/topics?${name}=${encodeURIComponent(value.toWellFormed())}`, { key }),
          (response) => refused(response, new RegExp(`^${name}$`), `${name}=${value}`)
        )
      )
      yield* refused(yield* call("/partner/v1/topics?limit=1&limit=2", { key }), /^limit$/, "limit twice")
    }).pipe(Effect.provide(InMemory.layer)),
  60_000
)

const badReference = fc.oneof(
  fc.string({ minLength: 1 }).filter((text) => !/^[A-Za-z0-9\-_.:]+$/.test(text)),
  fc.integer({ min: 257, max: 600 }).map((length) => "r".repeat(length))
)

it.effect(
  "GET /topics/by-reference/{ref} refuses a reference with an invalid format",
  () =>
    Effect.gen(function* () {
      const { call, key } = yield* setUp
      yield* forAll(badReference, (reference) =>
        Effect.flatMap(
          call(`/partner/v1/topics/by-reference/${encodeURIComponent(reference.toWellFormed())}`, { key }),
          (response) => refused(response, /^ref$/, reference)
        )
      )
      const longest = yield* call(`/partner/v1/topics/by-reference/${"%61".repeat(256)}`, { key })
      assert.strictEqual(longest.status, 404)
      const { error } = yield* readJson(longest)
      assert.include(error.message, "a".repeat(256))
    }).pipe(Effect.provide(InMemory.layer)),
  60_000
)

const badId = fc
  .string({ minLength: 1 })
  .map((text) => encodeURIComponent(text.toWellFormed()))
  .filter((text) => !/^\.{1,2}$/.test(text))

for (const path of ["/topics/:id", "/topics/:id/status", "/topics/:id/commentaries", "/personas/:id"]) {
  it.effect(
    `GET ${path} responds to any malformed id with 404`,
    () =>
      Effect.gen(function* () {
        const { call, key } = yield* setUp
        yield* forAll(badId, (id) =>
          Effect.flatMap(call(`/partner/v1${path.replace(":id", id)}`, { key }), (response) => {
            assert.strictEqual(response.status, 404, id)
            return refused(response, null, id)
          })
        )
      }).pipe(Effect.provide(InMemory.layer)),
    60_000
  )
}

const badKey = fc
  .oneof(
    fc.string(),
    fc.stringMatching(/^pk_(live|test)_[0-9A-Za-z]{38}$/),
    fc.stringMatching(/^pk_[a-z]{1,6}_[0-9A-Za-z]{1,60}$/)
  )
  .filter((text) => /^[\x21-\x7e]*$/.test(text))

it.effect(
  "the topic and persona endpoints answer 401 to any text that is not a valid key",
  () =>
    Effect.gen(function* () {
      const { call } = yield* setUp
      const endpoints = [
        ["POST", "/topics"],
        ["GET", "/topics"],
        ["GET", "/topics/x"],
        ["GET", "/topics/x/status"],
        ["GET", "/topics/x/commentaries"],
        ["GET", "/topics/by-reference/x"],
        ["GET", "/personas"],
        ["GET", "/personas/x"]
      ] as const
      yield* forAll(badKey, (key) =>
        Effect.forEach(
          endpoints,
          ([method, path]) =>
            Effect.flatMap(call(`/partner/v1${path}`, { method, key }), (response) => {
              assert.strictEqual(response.status, 401)
              return refused(response, null, key)
            }),
          { discard: true }
        )
      )
    }).pipe(Effect.provide(InMemory.layer)),
  60_000
)
