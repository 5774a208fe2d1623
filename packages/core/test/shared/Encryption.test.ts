import { describe, it } from "@effect/vitest"
import * as Aead from "effect/crypto/Aead"
import * as Kdf from "effect/crypto/Kdf"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { assert } from "vitest"
import { Encryption } from "../../src/shared/Encryption.ts"
import { SigningSecrets } from "../../src/shared/SigningSecrets.ts"

const under = (...secrets: ReadonlyArray<string>) => {
  const [first = "", ...rest] = secrets
  return Encryption.layer.pipe(
    Layer.provide([Aead.layerWebCrypto, Kdf.layerWebCrypto]),
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provide(Layer.succeed(SigningSecrets, [Redacted.make(first), ...rest.map((secret) => Redacted.make(secret))]))
  )
}

const encryption = (purpose: string, text: string) =>
  Effect.flatMap(Encryption, (sealing) => sealing.encrypt(purpose, text))
const open = (purpose: string, sealed: string) =>
  Effect.flatMap(Encryption, (sealing) => sealing.decrypt(purpose, sealed))

describe("Encryption", () => {
  it.effect("an encrypted text can be decrypted only for the same purpose", () =>
    Effect.gen(function* () {
      const sealed = yield* encryption("webhook 1", "whsec_äöü")
      assert.deepStrictEqual(yield* open("webhook 1", sealed), Option.some("whsec_äöü"))
      assert.deepStrictEqual(yield* open("webhook 2", sealed), Option.none())
    }).pipe(Effect.provide(under("one")))
  )

  it.effect("two encryptions of equal texts have different ciphertexts", () =>
    Effect.gen(function* () {
      const first = yield* encryption("p", "a secret")
      assert.notStrictEqual(first, yield* encryption("p", "a secret"))
      assert.notInclude(first, "secret")
    }).pipe(Effect.provide(under("one")))
  )

  it.effect("a text can be decrypted with any configured secret, but not with a removed secret", () =>
    Effect.gen(function* () {
      const sealed = yield* Effect.provide(encryption("p", "text"), under("old"))
      assert.deepStrictEqual(yield* Effect.provide(open("p", sealed), under("new", "old")), Option.some("text"))
      assert.deepStrictEqual(yield* Effect.provide(open("p", sealed), under("new")), Option.none())
    })
  )

  it.effect("decrypting a modified ciphertext or a plain text returns none", () =>
    Effect.gen(function* () {
      const sealed = yield* encryption("p", "text")
      const changed = `${sealed.slice(0, -5)}${sealed.at(-5) === "A" ? "B" : "A"}${sealed.slice(-4)}`
      for (const broken of [changed, sealed.slice(2), "", "1..", "text", `2${sealed.slice(1)}`]) {
        assert.deepStrictEqual(yield* open("p", broken), Option.none())
      }
    }).pipe(Effect.provide(under("one")))
  )
})
