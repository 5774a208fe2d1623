/**
 * Tests the documented decisions about request bodies. A body is refused if the body is invalid JSON, too deeply
 * nested, of another type, or too large.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { makeOperationExamples } from "../support/conformance/Operations.ts"
import { type ApiResponse, layerOfServiceUnderTest, seedPartner } from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"

const refusal = ({ body, status }: ApiResponse) => [status, body?.error?.code, body?.error?.details?.field]

/** Seeds a partner, and returns a function that sends a text as the request body. */
const setUp = Effect.gen(function* () {
  const by = yield* seedPartner()
  const { id } = yield* by.persona()
  const send = (text: string, type = "application/json", path = "/topics") =>
    by.post(path, text, { headers: { "content-type": type } })
  const good = { content, persona_ids: [id] }
  return { by, send, good }
})

/**
 * Returns every operation that reads a body. The list omits the approval operation, because the service ignores the
 * body of an approval.
 */
const withBody = Effect.map(makeOperationExamples, (all) =>
  all.filter(({ body, name }) => body !== undefined && !name.endsWith("/approve"))
)

layer(layerOfServiceUnderTest)("decisions, Contract: bodies", (it) => {
  it.effect("a body that is not JSON gets 400 invalid_request with field body", () =>
    Effect.gen(function* () {
      const { send } = yield* setUp
      for (const text of ["", "{", "x", "{'a':1}", '{"a":1,}', "[]", "null", '"x"', "1", "\ufeff{}x"])
        assert.deepStrictEqual(refusal(yield* send(text)), [400, "invalid_request", "body"], text)
    })
  )

  it.effect("a body that is nested deeper than 32 levels gets 400 invalid_request", () =>
    Effect.gen(function* () {
      const { good, send } = yield* setUp
      const deep = (levels: number) =>
        `${JSON.stringify(good).slice(0, -1)},"x":${"[".repeat(levels)}${"]".repeat(levels)}}`
      const { body, status } = yield* send(deep(33))
      assert.deepStrictEqual([status, body.error.code], [400, "invalid_request"])
      assert.include(body.error.details.constraint, "32")
      assert.strictEqual((yield* send(deep(32))).status, 201)
    })
  )

  it.effect("a wrong Content-Type gets 400 invalid_request with field content-type", () =>
    Effect.gen(function* () {
      const { good, send } = yield* setUp
      for (const type of ["text/plain", "text/json", "application/xml", "application/x-www-form-urlencoded", "x"])
        assert.deepStrictEqual(
          refusal(yield* send(JSON.stringify(good), type)),
          [400, "invalid_request", "content-type"],
          type
        )
      assert.strictEqual((yield* send(JSON.stringify(good), "Application/JSON; charset=utf-8")).status, 201)
    })
  )

  it.effect("a body over 256 KiB, or over 4 MiB for bulk requests, gets 400 invalid_request with field body", () =>
    Effect.gen(function* () {
      const { good, send } = yield* setUp
      const padded = (body: object, size: number) => {
        const text = JSON.stringify({ ...body, pad: "" })
        return text.replace('"pad":""', `"pad":"${"x".repeat(size - text.length)}"`)
      }
      const bulk = (size: number) => padded({ topics: [{ ...good, content: `${content} In bulk?` }] }, size)
      const json = "application/json"
      assert.deepStrictEqual(refusal(yield* send(padded(good, 256 * 1024 + 1))), [400, "invalid_request", "body"])
      assert.strictEqual((yield* send(padded(good, 256 * 1024))).status, 201)
      const large = yield* send(bulk(4 * 1024 * 1024 + 1), json, "/topics/bulk")
      assert.deepStrictEqual(refusal(large), [400, "invalid_request", "body"])
      assert.strictEqual((yield* send(bulk(4 * 1024 * 1024), json, "/topics/bulk")).status, 200)
    })
  )

  it.effect("every operation with a body applies the same rules for bodies", () =>
    Effect.gen(function* () {
      const all = yield* withBody
      assert.isAtLeast(all.length, 7)
      for (const { body, name, raw } of all) {
        for (const text of ["{", "[]", "null", '"x"'])
          assert.deepStrictEqual(refusal(yield* raw(text)), [400, "invalid_request", "body"], `${name} ${text}`)
        for (const type of ["text/plain", "application/x-www-form-urlencoded"])
          assert.deepStrictEqual(refusal(yield* raw("{}", type)), [400, "invalid_request", "content-type"], name)
        const deep = yield* raw(JSON.stringify({ ...(body as object), x: JSON.parse("[".repeat(33) + "]".repeat(33)) }))
        assert.deepStrictEqual([deep.status, deep.body.error.code], [400, "invalid_request"], name)
        assert.include(deep.body.error.details.constraint, "32", name)
        const size = name.endsWith("/bulk") ? 4 * 1024 * 1024 : 256 * 1024
        assert.deepStrictEqual(
          refusal(yield* raw(`{"pad":"${"x".repeat(size)}"}`)),
          [400, "invalid_request", "body"],
          name
        )
      }
    })
  )
})
