/** What events to a webhook are signed with: which texts are good for it, how one is made and kept. Signing is WebhookSignature's. */
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { WebhookId } from "../shared/Ids.ts"

/** Printable ASCII, the blank included. */
export const secretPattern = /^[ -~]{32,256}$/

export const secretConstraint =
  "must be 32 to 256 printable ASCII characters, or whsec_ and 24 to 64 bytes in base64; leave it out, and one is made"

/** Standard Webhooks: what follows is the key's bytes in base64. Any other secret is itself the key's bytes. */
const encodedPrefix = "whsec_"

const encodedConstraint =
  "must be 24 to 64 bytes in base64 after whsec_, with + and / and with its padding; leave it out, and one is made"

/** What the pattern cannot say. */
export const secretProblem = (text: string): string | null => {
  if (!text.startsWith(encodedPrefix)) return null
  const encoded = text.slice(encodedPrefix.length)
  const bytes = Base64.decode(encoded)
  // Some receivers' libraries take one spelling of the same bytes only.
  return Result.isSuccess(bytes) &&
    bytes.success.length >= 24 &&
    bytes.success.length <= 64 &&
    Base64.encode(bytes.success) === encoded
    ? null
    : encodedConstraint
}

export const mintSecret = (random: SecureRandom.SecureRandom["Service"]): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.map(random.randomBytes(32), (bytes) => Redacted.make(encodedPrefix + Base64.encode(bytes)))

/** What a webhook's secret is sealed for: moved to another webhook's row it does not open. */
export const sealedFor = (id: WebhookId): string => `webhook ${id}`
