/** What the service says of itself: the committed description, under its own address, and an explorer that needs nobody else. */
import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { testPersonas } from "@partner-commentary/core/persona/TestPersonas"
import * as InMemory from "@partner-commentary/test/InMemory"
import { type Call, TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"

const committed = JSON.parse(readFileSync(new URL("../../../../docs/openapi.json", import.meta.url), "utf8"))

const pages = ["/openapi.json", "/docs", "/docs/explorer.js", "/docs/scalar.js"]

const call = (path: string, call?: Call) => Effect.flatMap(TestApi, (api) => api.call(path, call))

const text = (response: Response) => Effect.promise(() => response.text())

layer(InMemory.layer, { excludeTestServices: true })("the description", (it) => {
  it.effect("is the committed one, with this service's own address", () =>
    Effect.gen(function* () {
      const response = yield* call("/openapi.json")
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "application/json")
      assert.strictEqual(response.headers.get("access-control-allow-origin"), "*")
      const served = JSON.parse(yield* text(response))
      assert.deepStrictEqual(served.servers, [{ url: "http://test.invalid", description: "This service" }])
      assert.deepStrictEqual({ ...served, servers: committed.servers }, committed)
    })
  )

  it.effect("tells how to try an integration out: test personas, magic words and pace", () =>
    Effect.gen(function* () {
      const { info, tags } = JSON.parse(yield* text(yield* call("/openapi.json")))
      const group = tags.find(({ name }: { readonly name: string }) => name === "Test environment").description
      for (const words of [info.description, group]) {
        for (const { id, name } of testPersonas) assert.include(words, `**${name}**, \`${id}\``)
        for (const word of ["[decline]", "[expire]", "[fail]", "1.5 seconds"]) assert.include(words, word)
      }
    })
  )

  for (const path of pages) {
    it.effect(`${path} needs no key, answers HEAD, and is not sent again to who has it`, () =>
      Effect.gen(function* () {
        const response = yield* call(path)
        assert.strictEqual(response.status, 200)
        assert.strictEqual(response.headers.get("x-content-type-options"), "nosniff")
        assert.isNotNull(response.headers.get("x-request-id"))
        assert.notInclude(response.headers.get("cache-control") ?? "no-store", "no-store")
        const body = yield* text(response)

        const head = yield* call(path, { method: "HEAD" })
        assert.strictEqual(head.status, 200)
        assert.strictEqual(yield* text(head), "")

        const etag = response.headers.get("etag") ?? ""
        for (const known of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
          const again = yield* call(path, { headers: { "if-none-match": known } })
          assert.strictEqual(again.status, 304, known)
          assert.strictEqual(again.headers.get("etag"), etag)
          assert.strictEqual(yield* text(again), "")
        }
        assert.strictEqual((yield* call(path, { headers: { "if-none-match": '"other"' } })).status, 200)

        const packed = yield* call(path, { headers: { "accept-encoding": "br;q=1, gzip;q=0.5" } })
        assert.strictEqual(packed.headers.get("content-encoding"), "gzip")
        assert.strictEqual(packed.headers.get("vary"), "accept-encoding")
        const unpacked = yield* Effect.promise(() =>
          new Response(packed.body?.pipeThrough(new DecompressionStream("gzip"))).text()
        )
        assert.strictEqual(unpacked, body)
        const plain = yield* call(path, { headers: { "accept-encoding": "gzip;q=0, br" } })
        assert.isNull(plain.headers.get("content-encoding"))
      })
    )
  }

  it.effect("whoever leaves while it is being made takes it from nobody", () =>
    Effect.gen(function* () {
      yield* Effect.timeoutOption(call("/docs/scalar.js"), "1 millis")
      const response = yield* call("/docs/scalar.js")
      assert.strictEqual(response.status, 200)
      assert.isAbove((yield* text(response)).length, 1_000_000)
    })
  )

  it.effect("the explorer lets nothing in from elsewhere", () =>
    Effect.gen(function* () {
      const page = yield* call("/docs")
      const policy = page.headers.get("content-security-policy") ?? ""
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "script-src 'self';")
      assert.notMatch(policy, /https?:/)
      assert.notMatch(yield* text(page), /(src|href)="(https?:)?\/\//)
    })
  )
})
