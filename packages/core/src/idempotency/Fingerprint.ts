/**
 * Recognizes a repeated request body without storing the body. A request body can contain secrets. An attacker who
 * reads the database could test guesses of a secret against a plain hash. So a fingerprint is a keyed hash, whose key
 * is derived from a signing secret. A new response is stored with the fingerprint that the first signing secret
 * produces. For a repeated request, the service computes the fingerprint of the body with every signing secret.
 */
import * as Kdf from "effect/crypto/Kdf"
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Redacted from "effect/Redacted"
import { SigningSecrets } from "../shared/SigningSecrets.ts"

/**
 * The fingerprints of a body, one for each signing secret. The first fingerprint uses the current signing secret. Each
 * fingerprint starts with a short tag that identifies its secret, and a dot.
 */
export type BodyFingerprints = readonly [string, ...ReadonlyArray<string>]

/**
 * Compares a body with a stored fingerprint. `unknown`: the signing secret of the stored fingerprint is no longer
 * configured.
 */
export const compareFingerprints = (fingerprints: BodyFingerprints, kept: string): "same" | "other" | "unknown" => {
  if (fingerprints.includes(kept)) return "same"
  return fingerprints.some((fingerprint) => tagOf(fingerprint) === tagOf(kept)) ? "other" : "unknown"
}

const tagOf = (fingerprint: string): string => fingerprint.split(".", 1)[0] ?? ""

export const makeBodyFingerprinter = Effect.gen(function* () {
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
