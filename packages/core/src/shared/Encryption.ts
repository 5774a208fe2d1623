/**
 * Encrypts stored texts with AES-256-GCM. Each purpose has a key that is derived from a signing secret, so a text can
 * be decrypted only for the same purpose.
 */
import * as Context from "effect/Context"
import * as Aead from "effect/crypto/Aead"
import * as Kdf from "effect/crypto/Kdf"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { SigningSecrets } from "./SigningSecrets.ts"

export class Encryption extends Context.Service<
  Encryption,
  {
    /**
     * Encrypts a text. The encryption key is derived from the purpose and a signing secret. If the caller puts a secret
     * into the purpose, only a caller with this secret can decrypt the text.
     */
    readonly encrypt: (purpose: string, text: string) => Effect.Effect<string>
    /**
     * Decrypts a text. Returns none if the text was encrypted for another purpose, was encrypted with a removed secret,
     * or was modified.
     */
    readonly decrypt: (purpose: string, encrypted: string) => Effect.Effect<Option.Option<string>>
  }
>()("@partner-commentary/core/shared/Encryption") {
  static readonly layer = Layer.effect(
    Encryption,
    Effect.gen(function* () {
      const aead = yield* Aead.Aead
      const kdf = yield* Kdf.Kdf
      const random = yield* SecureRandom.SecureRandom
      const secrets = yield* SigningSecrets

      const keyOf = Effect.fnUntraced(function* (secret: Redacted.Redacted<string>, purpose: string) {
        const bytes = yield* kdf.derive(Kdf.hkdfSha256, utf8(Redacted.value(secret)), {
          salt: new Uint8Array(),
          info: utf8(`seal ${purpose}`),
          length: Aead.aes256Gcm.keyLength
        })
        return yield* Aead.key(Aead.aes256Gcm, bytes)
      }, Effect.orDie)

      return Encryption.of({
        encrypt: Effect.fnUntraced(function* (purpose, text) {
          const nonce = yield* random.randomBytes(Aead.aes256Gcm.nonceLength)
          const encrypted = yield* aead.encrypt(yield* keyOf(secrets[0], purpose), utf8(text), { nonce })
          return `${version}.${Base64Url.encode(nonce)}.${Base64Url.encode(encrypted)}`
        }, Effect.orDie),

        decrypt: Effect.fnUntraced(function* (purpose, text) {
          const [written, nonce, encrypted] = text.split(".")
          const nonceBytes = Base64Url.decode(nonce ?? "")
          const bytes = Base64Url.decode(encrypted ?? "")
          if (written !== version || Result.isFailure(nonceBytes) || Result.isFailure(bytes)) return Option.none()
          for (const secret of secrets) {
            const opened = yield* Effect.option(
              aead.decrypt(yield* keyOf(secret, purpose), bytes.success, { nonce: nonceBytes.success })
            )
            if (Option.isSome(opened)) return Option.some(new TextDecoder().decode(opened.value))
          }
          return Option.none()
        })
      })
    })
  )
}

/** The version of the encryption format. */
const version = "1"

const utf8 = (text: string) => new TextEncoder().encode(text)
