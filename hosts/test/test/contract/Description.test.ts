/**
 * Tests that the served OpenAPI document equals the committed document, except for the service's address, and that the
 * API explorer loads nothing from other servers.
 */
import { readdirSync, readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { testPersonas } from "@partner-commentary/core/persona/TestPersonas"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi, type TestApiCall } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"

const committed = JSON.parse(readFileSync(new URL("../../../../docs/openapi.json", import.meta.url), "utf8"))

const pages = ["/openapi.json", "/docs", "/docs/explorer.js", "/docs/scalar.js"]

const call = (path: string, call?: TestApiCall) => Effect.flatMap(TestApi, (api) => api.call(path, call))

const text = (response: Response) => Effect.promise(() => response.text())

const described = Effect.flatMap(call("/openapi.json"), (response) => Effect.promise(() => response.json()))

// biome-ignore lint/suspicious/noExplicitAny: a part of the document under test
type Part = any

const operationsOf = (document: Part): ReadonlyArray<Part> =>
  Object.values(document.paths).flatMap((path) => Object.values(path as object))

/** Returns every schema in a part of the document, together with the schema's name. */
const schemasIn = (part: Part, name = ""): ReadonlyArray<readonly [name: string, schema: Part]> =>
  typeof part !== "object" || part === null
    ? []
    : [[name, part], ...Object.entries(part).flatMap(([key, inner]) => schemasIn(inner, key))]

/** Removes `http:` from the URL patterns of webhooks, because only a development server accepts `http:` receivers. */
const withoutHttpReceivers = (document: Part): Part => {
  const narrowed = structuredClone(document)
  for (const name of ["RegisterWebhook", "ChangeWebhook"]) {
    const { url } = narrowed.components.schemas[name].properties
    url.pattern = url.pattern.replace("https?", "https")
  }
  return narrowed
}

/** Returns the webhook secrets that the OpenAPI document, the guides and the READMEs show. */
const shownSecrets = (document: Part): ReadonlyArray<string> => {
  const root = new URL("../../../../", import.meta.url)
  const guides = readdirSync(new URL("docs/guides", root)).map((name) => `docs/guides/${name}`)
  const pages = [...guides, "README.md", "packages/client/README.md"].map((path) =>
    readFileSync(new URL(path, root), "utf8")
  )
  return [JSON.stringify(document), ...pages].flatMap((page) => page.match(/whsec_[\w+/]{32,}={0,2}/g) ?? [])
}

layer(InMemory.layer, { excludeTestServices: true })("the description", (it) => {
  it.effect("the served OpenAPI document equals the committed document, but contains the address of this service", () =>
    Effect.gen(function* () {
      const response = yield* call("/openapi.json")
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "application/json")
      assert.strictEqual(response.headers.get("access-control-allow-origin"), "*")
      const served = JSON.parse(yield* text(response))
      assert.deepStrictEqual(served.servers, [{ url: "http://test.invalid", description: "This service" }])
      assert.deepStrictEqual({ ...served, servers: committed.servers }, withoutHttpReceivers(committed))
    })
  )

  it.effect(
    "the OpenAPI document describes a 408 response of every operation, for a request that arrives too slowly",
    () =>
      Effect.gen(function* () {
        const document = yield* described
        for (const { operationId, responses } of operationsOf(document)) {
          const { examples, schema } = responses["408"].content["application/json"]
          assert.strictEqual(schema.$ref, "#/components/schemas/InvalidRequest", operationId)
          assert.strictEqual(examples.invalid_request.value.error.details.field, "request", operationId)
        }
      })
  )

  it.effect("if private receivers are not allowed, the documented URL pattern of a webhook requires https:", () =>
    Effect.gen(function* () {
      const { schemas } = (yield* described).components
      for (const name of ["RegisterWebhook", "ChangeWebhook"]) {
        const { pattern } = schemas[name].properties.url
        assert.match("https://example.com/hook", new RegExp(pattern, "u"), name)
        assert.notMatch("http://example.com/hook", new RegExp(pattern, "u"), name)
      }
    })
  )

  it.effect("metadata accepts any JSON object, and no optional field of a request has a default value", () =>
    Effect.gen(function* () {
      const { schemas } = (yield* described).components
      const all = schemasIn(schemas)
      const metadata = all.filter(([name, schema]) => name === "metadata" && schema.type === "object")
      assert.isAbove(metadata.length, 0)
      for (const [, schema] of metadata) assert.strictEqual(schema.additionalProperties, true)
      for (const [name, { properties = {}, required = [] }] of Object.entries<Part>(schemas)) {
        for (const [field, schema] of Object.entries<Part>(properties)) {
          assert.isTrue(required.includes(field) || schema.default === undefined, `${name}.${field}`)
        }
      }
    })
  )

  it.effect("every union of objects has a discriminator that maps to each alternative", () =>
    Effect.gen(function* () {
      const document = yield* described
      const unions = schemasIn([document.paths, document.components.schemas]).filter(([, { anyOf, oneOf }]) =>
        [anyOf, oneOf].some((one) => Array.isArray(one) && one.every(({ $ref }: Part) => $ref !== undefined))
      )
      assert.isAbove(unions.length, 4)
      for (const [, { discriminator, oneOf }] of unions) {
        for (const { $ref } of oneOf) {
          const schema = document.components.schemas[$ref.replace("#/components/schemas/", "")]
          const [value] = schema.properties[discriminator.propertyName].enum
          assert.strictEqual(discriminator.mapping[value], $ref)
        }
      }
    })
  )

  it.effect("the service accepts the documented example of a new topic with a test key", () =>
    Effect.gen(function* () {
      const { text: key } = yield* Seed.issueApiKey(yield* Seed.createOrganization(), { environment: "test" })
      const { requestBody } = (yield* described).paths["/partner/v1/topics"].post
      const body = requestBody.content["application/json"].example
      const response = yield* call("/partner/v1/topics", { method: "POST", key, body })
      assert.strictEqual(response.status, 201)
      assert.deepStrictEqual(
        (yield* Effect.promise(() => response.json())).data.results.map(({ status }: Part) => status),
        body.persona_ids.map(() => "sent")
      )
      assert.deepStrictEqual(body.persona_ids, [testPersonas.find(({ path }) => path === "approve")?.id])
    })
  )

  it.effect("the example of a webhook has no secret, and the service rejects every documented secret", () =>
    Effect.gen(function* () {
      const document = yield* described
      const { text: key } = yield* Seed.issueApiKey(yield* Seed.createOrganization())
      const { example } = document.paths["/partner/v1/webhooks"].post.requestBody.content["application/json"]
      assert.notProperty(example, "secret")
      const shown = new Set(shownSecrets(document))
      assert.isAbove(shown.size, 0)
      for (const secret of shown) {
        const body = { ...example, secret }
        const response = yield* call("/partner/v1/webhooks", { method: "POST", key, body })
        assert.strictEqual(response.status, 400, secret)
        const { error } = yield* Effect.promise(() => response.json())
        assert.strictEqual(error.details.field, "secret")
      }
    })
  )

  it.effect(
    "the OpenAPI document explains how to test an integration with test personas and keywords in the content",
    () =>
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
    it.effect(
      `${path} needs no key, supports HEAD requests, and returns 304 to a client that has the current version`,
      () =>
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

  it.effect("after a client disconnects early, the next client still gets the explorer's complete script", () =>
    Effect.gen(function* () {
      yield* Effect.timeoutOption(call("/docs/scalar.js"), "1 millis")
      const response = yield* call("/docs/scalar.js")
      assert.strictEqual(response.status, 200)
      assert.isAbove((yield* text(response)).length, 1_000_000)
    })
  )

  it.effect("the explorer's content security policy allows nothing from other origins", () =>
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
