import { assert, describe, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import { computeOnce, makeStaticAsset, respondWithAsset } from "../../src/openapi/Asset.ts"

const text = "a text that everybody gets. ".repeat(10_000)
const request = HttpServerRequest.fromWeb(new Request("http://localhost/docs/scalar.js"))

const bytesOf = ({ body }: HttpServerResponse.HttpServerResponse) =>
  body._tag === "Uint8Array" ? body.body : assert.fail("no bytes")

/** Returns the effect's value and the number of decompressions during the effect. */
const unpackings = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const original = globalThis.DecompressionStream
    let count = 0
    globalThis.DecompressionStream = class extends original {
      constructor(format: CompressionFormat) {
        super(format)
        count++
      }
    }
    return Effect.map(
      Effect.ensuring(
        effect,
        Effect.sync(() => {
          globalThis.DecompressionStream = original
        })
      ),
      (value) => [value, count] as const
    )
  })

describe("Static assets", () => {
  it.effect("concurrent clients that accept no compression share one decompression of the asset", () =>
    Effect.gen(function* () {
      const made = yield* makeStaticAsset(text, {})
      const all = Array.from({ length: 200 }, () => respondWithAsset(made, request))
      const [answers, count] = yield* unpackings(Effect.all(all, { concurrency: "unbounded" }))
      const [first, ...others] = answers.map(bytesOf)
      assert.strictEqual(new TextDecoder().decode(first), text)
      for (const other of others) assert.strictEqual(other, first)
      assert.strictEqual(count, 1)
      const [later, further] = yield* unpackings(respondWithAsset(made, request))
      assert.strictEqual(bytesOf(later), first)
      assert.strictEqual(further, 0)
    }).pipe(Effect.provide(Digest.layerWebCrypto))
  )

  it.effect("an asset is decompressed for the remaining clients even when the first client disconnects", () =>
    Effect.gen(function* () {
      const made = yield* makeStaticAsset(text, {})
      const left = Effect.timeoutOption(respondWithAsset(made, request), 0)
      const [, answer] = yield* Effect.all([left, respondWithAsset(made, request)], { concurrency: "unbounded" })
      assert.strictEqual(new TextDecoder().decode(bytesOf(answer)), text)
    }).pipe(Effect.provide(Digest.layerWebCrypto))
  )
})

it.effect("an asset is created once even when its first caller is interrupted", () =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<void>()
    let made = 0
    const present = yield* computeOnce(
      Effect.suspend(() => {
        made++
        return Effect.as(Deferred.await(ready), "asset")
      })
    )
    const first = yield* Effect.forkChild(present, { startImmediately: true })
    const leaving = yield* Effect.forkChild(Fiber.interrupt(first), { startImmediately: true })
    yield* Deferred.succeed(ready, undefined)
    yield* Fiber.join(leaving)
    assert.strictEqual(yield* present, "asset")
    assert.strictEqual(made, 1)
  })
)
