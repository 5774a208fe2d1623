/** Tests that an invalid public address stops the service at start, because every link begins with this address. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { PublicAddress } from "../../src/shared/PublicAddress.ts"

const rootOf = (given: string) =>
  Effect.provide(
    PublicAddress.use(({ apiRoot }) => Effect.succeed(apiRoot)),
    PublicAddress.layer(given)
  )

describe("Public address", () => {
  it.effect("the public address is stored without a trailing slash", () =>
    Effect.gen(function* () {
      for (const [given, kept] of [
        ["https://app.example", "https://app.example"],
        ["http://x.example/", "http://x.example"],
        ["https://app.example/commentary//", "https://app.example/commentary"],
        ["HTTPS://App.Example:443/Commentary/", "https://app.example/Commentary"],
        ["http://[::1]:3000", "http://[::1]:3000"],
        ["https://app.example/partners", "https://app.example/partners"],
        ["https://app.example/partner/commentary", "https://app.example/partner/commentary"]
      ] as const) {
        assert.strictEqual(yield* rootOf(given), kept)
      }
    })
  )

  it.effect("an invalid public address stops the service with a message that states the required form", () =>
    Effect.gen(function* () {
      for (const given of [
        "",
        " ",
        "/commentary",
        "x.example",
        "localhost:3000",
        "//x.example",
        "ftp://x.example",
        "https://",
        "https://x.example/?a=1",
        "https://x.example/#top",
        "https://ada:secret@x.example",
        "https://:secret@x.example",
        "https://x.example/a b",
        " https://x.example"
      ]) {
        const said = String(yield* Effect.exit(rootOf(given)))
        assert.include(said, "must be an http:// or https:// address", given)
        assert.notInclude(said, "secret")
        const anywhere = String(yield* Effect.exit(Effect.provide(PublicAddress, PublicAddress.layerAnywhere(given))))
        assert.include(anywhere, "must be an http:// or https:// address", given)
      }
    })
  )

  it.effect("a public address whose path collides with a route of the service stops the service", () =>
    Effect.gen(function* () {
      for (const path of [
        "partner",
        "partner/",
        "partner/v1",
        "partner/v1/x",
        "creator",
        "creator/x",
        "docs",
        "healthz"
      ]) {
        assert.include(String(yield* Effect.exit(rootOf(`https://x.example/${path}`))), "the service's own", path)
        const anywhere = PublicAddress.layerAnywhere(`https://x.example/${path}`)
        const { apiRoot } = yield* Effect.provide(PublicAddress, anywhere)
        assert.strictEqual(apiRoot, `https://x.example/${path}`.replace(/\/$/, ""))
      }
    })
  )
})
