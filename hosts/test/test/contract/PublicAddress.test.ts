/**
 * Tests that the path of a public address cannot be a path of the service. The test covers every path of the OpenAPI
 * document and all other served paths.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { collidesWithRoutes } from "@partner-commentary/core/shared/PublicAddress"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layer } from "../../src/InMemory.ts"

const description: { readonly paths: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../../docs/openapi.json"), "utf8")
)
const beside = ["/openapi.json", "/docs", "/docs/explorer.js", "/docs/scalar.js", "/avatar.svg", "/healthz", "/readyz"]

const upTo = (path: string) => {
  const parts = path.split("/").slice(1)
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}`)
}

it("a public address is rejected if its path is a route of the service or the beginning of a route", () => {
  const paths = [...Object.keys(description.paths), ...beside, "/creator/token/respond"]
  assert.isAbove(paths.length, 30)
  for (const path of new Set(paths.flatMap((path) => upTo(path.replace(/[{}]/g, ""))))) {
    assert.isTrue(collidesWithRoutes(`https://x.example${path}`), path)
  }
})

it.effect("the service serves every path that this test lists as missing from the OpenAPI document", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    for (const path of beside) assert.strictEqual((yield* call(path)).status, 200, path)
  }).pipe(Effect.provide(Layer.provideMerge(TestApi.layerMemory, layer)))
)
