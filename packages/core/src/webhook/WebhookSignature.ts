/** Signs events by Standard Webhooks, version 1 (HMAC-SHA256). WebhookSecret validates and stores the secrets. */
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Instant } from "../shared/Instant.ts"

export interface SignedContent {
  /** The event's id, the same on every attempt. The id contains no dot, because dots separate the signed parts. */
  readonly id: string
  /** The time of the attempt. Receivers reject timestamps older than five minutes. */
  readonly at: Instant
  /** The body, byte for byte as it is sent. */
  readonly body: string
}

/** The names are lower-case, as `WebhookRequest` requires. */
export interface SignatureHeaders extends Readonly<Record<string, string>> {
  readonly "webhook-id": string
  /** The time in seconds since 1970 UTC. */
  readonly "webhook-timestamp": string
  /** For each secret `v1,` and the Base64 of the HMAC over `id.timestamp.body`, separated by spaces. */
  readonly "webhook-signature": string
}

const prefix = "whsec_"

/**
 * Returns the HMAC key for a secret: the decoded Base64 of 24 to 64 bytes after `whsec_`, else the text's own bytes, 32
 * to 256 printable ASCII characters. Returns none for any other text, because the libraries of receivers treat other
 * characters differently.
 */
export const signingKeyOf = (secret: string): Option.Option<Uint8Array> => {
  if (!secret.startsWith(prefix)) {
    return /^[\x20-\x7e]{32,256}$/.test(secret) ? Option.some(utf8(secret)) : Option.none()
  }
  const encoded = secret.slice(prefix.length)
  // Base64 has several spellings of the same bytes, and some libraries reject all but the canonical one.
  return Option.filter(
    Result.getSuccess(Base64.decode(encoded)),
    (bytes) => bytes.length >= 24 && bytes.length <= 64 && Base64.encode(bytes) === encoded
  )
}

/** Creates one signature for each secret. Dies if a secret is invalid, because registration rejects invalid secrets. */
export const sign = Effect.fnUntraced(function* (
  mac: Mac.Mac["Service"],
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
  { id, at, body }: SignedContent
) {
  const timestamp = String(Math.floor(at / 1000))
  const signed = utf8(`${id}.${timestamp}.${body}`)
  const signatures = yield* Effect.forEach(secrets, (secret) =>
    Effect.gen(function* () {
      const key = yield* Mac.key(Mac.hmacSha256, Option.getOrElse(signingKeyOf(Redacted.value(secret)), none))
      return `v1,${Base64.encode(yield* mac.sign(key, signed))}`
    })
  )
  const headers: SignatureHeaders = {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" ")
  }
  return headers
}, Effect.orDie)

/** Mac rejects an empty key. */
const none = () => new Uint8Array()

const utf8 = (text: string) => new TextEncoder().encode(text)
