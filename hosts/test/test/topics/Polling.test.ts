/** The fast path of GET /topics/{id}/status returns the same response as the endpoint, for every caller and request. */
import { assert, it } from "@effect/vitest"
import { type Poll, Polling } from "@partner-commentary/server/routes/topics/Polling"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { readJson } from "../support/Json.ts"

const layer = Polling.layer.pipe(Layer.provideMerge(InMemory.layer))

it.effect("the fast path returns the same bytes and headers as the endpoint, for every caller and every id", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const polling = yield* Polling
    const owner = yield* Seed.organization()
    const personas = yield* Effect.forEach([1, 2, 3], () => Seed.persona(owner, { name: "Zoë “Z” Ōkami 😀" }))
    const { text: key } = yield* Seed.key(owner)
    const created = yield* call("/partner/v1/topics", {
      method: "POST",
      key,
      body: { content: "Who asks that often, and why?", persona_ids: personas.map(({ id }) => id) }
    })
    const id: string = (yield* readJson(created)).data.topic_id
    const keys = [
      key,
      "",
      "garbage",
      (yield* Seed.key(owner, { scopes: ["topics:submit"] })).text,
      (yield* Seed.key(owner, { environment: "test" })).text,
      (yield* Seed.key(owner, { ipAllowList: ["203.0.113.7"] })).text,
      (yield* Seed.key(owner, { expiresAt: 0 })).text,
      (yield* Seed.key(yield* Seed.organization())).text
    ]
    const ids = [id, id.toUpperCase(), `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`]
    for (const key of keys) {
      for (const one of ids) {
        for (const query of ["", "?", "?x=1&x=2"]) {
          const url = `/partner/v1/topics/${one}/status${query}`
          const headers = { "x-api-key": key, "x-request-id": "same" }
          const response = yield* call(url, { headers })
          const poll: Poll = { method: "GET", url, headers, address: "" }
          const answer = yield* Option.getOrThrow(polling.answer(poll))
          assert.strictEqual(answer.status, response.status)
          assert.strictEqual(answer.body, yield* Effect.promise(() => response.text()))
          const { "content-length": _, ...sent } = Object.fromEntries(response.headers)
          const { "x-ratelimit-remaining": left, ratelimit: __, ...told } = { ...answer.headers }
          const { "x-ratelimit-remaining": before, ratelimit: ___, ...same } = sent
          assert.deepStrictEqual(told, same)
          assert.isAtMost(Number(left), Number(before))
        }
      }
    }
  }).pipe(Effect.provide(layer))
)

it.effect("the fast path leaves every other request to the router", () =>
  Effect.gen(function* () {
    const { answer } = yield* Polling
    const id = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
    for (const [method, url] of [
      ["HEAD", `/partner/v1/topics/${id}/status`],
      ["POST", `/partner/v1/topics/${id}/status`],
      ["GET", `/partner/v1/topics/${id}/status/`],
      ["GET", `/partner/v1/topics/${id}/status;x`],
      ["GET", `/partner/v1/topics/${id}`],
      ["GET", `/partner/v1/topics/not-an-id/status`],
      ["GET", `/partner/v1//topics/${id}/status`],
      ["GET", `/Partner/v1/topics/${id}/status`]
    ] as const) {
      assert.isTrue(Option.isNone(answer({ method, url, headers: {}, address: "127.0.0.1" })), `${method} ${url}`)
    }
  }).pipe(Effect.provide(layer))
)
