/** How often a request goes to Postgres and back, counted on the line. */
import { assert, it } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { json } from "./Json.ts"
import * as OnTheWire from "./OnTheWire.ts"

const content = "Who will win the cup this year?"

it.effect("POST /topics goes to Postgres twice besides begin and commit, whatever the number of personas", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.organization()
    const personas = yield* Effect.forEach(Array.from({ length: 50 }), () => Seed.persona(owner))
    const { text: key } = yield* Seed.key(owner)
    const post = (personas: ReadonlyArray<{ readonly id: string }>, more: object = {}) =>
      call("/partner/v1/topics", {
        method: "POST",
        key,
        body: { content: `${content} ${personas.length}`, persona_ids: personas.map(({ id }) => id) },
        ...more
      })
    yield* post(personas.slice(0, 2))
    for (const some of [personas.slice(0, 1), personas.slice(0, 3), personas]) {
      const { answer, turns } = yield* OnTheWire.during(post(some))
      assert.strictEqual(answer.status, 201)
      assert.strictEqual((yield* json(answer)).data.personas_sent, some.length)
      assert.deepStrictEqual(turns.map(OnTheWire.kindOf), ["SELECT licenses", "BEGIN", "WITH", "COMMIT"])
    }
  }).pipe(Effect.provide(OnTheWire.layer))
)

it.effect("GET status is one way to Postgres, and writes nothing; the key was asked for before", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const owner = yield* Seed.organization()
    const personas = yield* Effect.forEach(Array.from({ length: 3 }), () => Seed.persona(owner))
    const { text: key } = yield* Seed.key(owner)
    const body = { content, persona_ids: personas.map(({ id }) => id) }
    const created = yield* json(yield* call("/partner/v1/topics", { method: "POST", key, body }))
    const status = call(`/partner/v1/topics/${created.data.topic_id}/status`, { key })
    const { answer, turns } = yield* OnTheWire.during(status)
    assert.strictEqual(answer.status, 200)
    assert.deepStrictEqual(turns.map(OnTheWire.kindOf), ["SELECT topics"])
  }).pipe(Effect.provide(OnTheWire.layer))
)
