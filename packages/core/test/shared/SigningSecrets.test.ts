/**
 * Tests the signing secrets that a host provides: a blank secret stops the service, and a short secret logs a warning.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { SigningSecrets } from "../../src/shared/SigningSecrets.ts"

const given = Effect.fnUntraced(function* (first: string, ...former: ReadonlyArray<string>) {
  const said: Array<string> = []
  const logger = Logger.layer([Logger.make(({ logLevel, message }) => void said.push(`${logLevel} ${message}`))])
  const layer = SigningSecrets.layer(Redacted.make(first), ...former.map((secret) => Redacted.make(secret)))
  const kept = yield* Effect.provide(SigningSecrets, Layer.provide(layer, logger))
  return { kept: kept.map(Redacted.value), said }
})

const long = "x".repeat(32)

describe("Signing secrets", () => {
  it.effect("signing secrets of at least 32 characters are accepted in order without a warning", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* given(long, `${long}y`), { kept: [long, `${long}y`], said: [] })
    })
  )

  it.effect(
    "signing secrets of fewer than 32 characters are accepted with a warning that does not contain the secrets",
    () =>
      Effect.gen(function* () {
        for (const secrets of [["hunter2"], [long, "hunter2"]] as const) {
          const [first, ...former] = secrets
          const { kept, said } = yield* given(first, ...former)
          assert.deepStrictEqual(kept, [...secrets])
          assert.lengthOf(said, 1)
          assert.match(
            said[0] ?? "",
            /^Warn.*shorter than 32 characters and can be guessed, which allows forged creator links/
          )
          assert.notInclude(said[0], "hunter2")
        }
      })
  )

  it.effect("a blank signing secret stops the service", () =>
    Effect.gen(function* () {
      for (const [first, ...former] of [[""], ["  "], [long, ""]] as const) {
        assert.match(String(yield* Effect.exit(given(first, ...former))), /A signing secret is blank/)
      }
    })
  )
})
