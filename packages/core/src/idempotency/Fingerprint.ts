/**
 * Recognizes a repeated request body without storing the body, which may contain secrets. The fingerprint is a hash
 * with a key that is derived from a signing secret. With a plain hash, an attacker who reads the database could test
 * guesses of a secret. The first signing secret makes fingerprints, and all signing secrets can compare them.
 */
import * as Kdf from "effect/crypto/Kdf"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"
import { SigningSecrets } from "../shared/SigningSecrets.ts"

/**
 * The body's fingerprints, one for each signing secret, with that of the current secret first. Each fingerprint starts
 * with the secret's tag and a dot.
 */
export type BodyFingerprints = readonly [string, ...ReadonlyArray<string>]

/**
 * Compares a stored fingerprint with a request. The result `unknown` means that a removed secret made the stored
 * fingerprint.
 */
export const compareFingerprints = (fingerprints: BodyFingerprints, kept: string): "same" | "other" | "unknown" => {
  if (fingerprints.includes(kept)) return "same"
  return fingerprints.some((fingerprint) => tagOf(fingerprint) === tagOf(kept)) ? "other" : "unknown"
}

const tagOf = (fingerprint: string): string => fingerprint.split(".", 1)[0] ?? ""

export const make = Effect.gen(function* () {
  const mac = yield* Mac.Mac
  const kdf = yield* Kdf.Kdf
  const [first, ...rest] = yield* SigningSecrets

  const under = (secret: Redacted.Redacted<string>) =>
    Effect.gen(function* () {
      const derive = (info: string, length: number) =>
        kdf.derive(Kdf.hkdfSha256, utf8(Redacted.value(secret)), { salt: new Uint8Array(), info: utf8(info), length })
      const key = yield* Mac.key(Mac.hmacSha256, yield* derive("idempotency fingerprint", 32))
      const tag = Hex.encode(yield* derive("idempotency fingerprint's tag", 4))
      return (body: Uint8Array<ArrayBuffer>) =>
        Effect.orDie(Effect.map(mac.sign(key, body), (bytes) => `${tag}.${Hex.encode(bytes)}`))
    }).pipe(Effect.orDie)

  const present = yield* under(first)
  const former = yield* Effect.forEach(rest, under)
  return (body: Uint8Array<ArrayBuffer>): Effect.Effect<BodyFingerprints> =>
    Effect.all([present(body), Effect.forEach(former, (one) => one(body))]).pipe(
      Effect.map(([one, others]): BodyFingerprints => [one, ...others])
    )
})

const utf8 = (text: string) => new TextEncoder().encode(text)
