/**
 * Signs events according to version 1 of Standard Webhooks, with HMAC-SHA256. WebhookSecret validates and stores the
 * secrets.
 */
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Instant } from "../shared/Instant.ts"

export interface WebhookContentToSign {
  /**
   * The event's id, the same on every attempt. The event id contains no dot, because dots separate the signed parts.
   */
  readonly id: string
  /** The time of the attempt. Receivers reject a timestamp that is older than five minutes. */
  readonly at: Instant
  /** The request body, byte for byte as the service sends the body. */
  readonly body: string
}

/** The signature headers, with lower-case names as `WebhookRequest` requires. */
export interface WebhookSignatureHeaders extends Readonly<Record<string, string>> {
  readonly "webhook-id": string
  /** The time of the attempt in seconds since 1970 UTC. */
  readonly "webhook-timestamp": string
  /**
   * The signatures, separated by spaces. Each signature is `v1,` and the Base64 of the HMAC over `id.timestamp.body`
   * with one secret.
   */
  readonly "webhook-signature": string
}

const prefix = "whsec_"

/**
 * Returns the HMAC key of a secret. With the prefix `whsec_`, the key is the decoded Base64 of 24 to 64 bytes. Without
 * the prefix, the key is the secret's text of 32 to 256 printable ASCII characters. For a secret in any other form,
 * returns none, because receivers' libraries would derive different keys from it.
 */
export const decodeSigningKey = (secret: string): Option.Option<Uint8Array> => {
  if (!secret.startsWith(prefix)) {
    return /^[\x20-\x7e]{32,256}$/.test(secret) ? Option.some(utf8(secret)) : Option.none()
  }
  const encoded = secret.slice(prefix.length)
  // Several Base64 texts can encode the same bytes, and some receivers' libraries reject all but the canonical text.
  return Option.filter(
    Result.getSuccess(Base64.decode(encoded)),
    (bytes) => bytes.length >= 24 && bytes.length <= 64 && Base64.encode(bytes) === encoded
  )
}

/**
 * Creates one signature for each secret. An invalid secret is a defect, because registration rejects invalid secrets.
 */
export const sign = Effect.fnUntraced(function* (
  mac: Mac.Mac["Service"],
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
  { id, at, body }: WebhookContentToSign
) {
  const timestamp = String(Math.floor(at / 1000))
  const signed = utf8(`${id}.${timestamp}.${body}`)
  const signatures = yield* Effect.forEach(secrets, (secret) =>
    Effect.gen(function* () {
      const key = yield* Mac.key(Mac.hmacSha256, Option.getOrElse(decodeSigningKey(Redacted.value(secret)), none))
      return `v1,${Base64.encode(yield* mac.sign(key, signed))}`
    })
  )
  const headers: WebhookSignatureHeaders = {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" ")
  }
  return headers
}, Effect.orDie)

/** Returns an empty HMAC key, which Effect's `Mac` rejects. */
const none = () => new Uint8Array()

const utf8 = (text: string) => new TextEncoder().encode(text)
