/** Validates, generates and stores the signing secrets of webhooks. WebhookSignature signs with these secrets. */
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import { signingKeyOf } from "./WebhookSignature.ts"

/** The former secret after a rotation, as stored. Until `until`, the service signs events with both secrets. */
export interface FormerSecret {
  readonly encrypted: string
  readonly until: Instant
}

/** The secrets of a webhook, as stored. The grace period of the former secret may already have ended. */
export interface WebhookSecrets {
  readonly encryptedSecret: string
  readonly formerSecret: FormerSecret | null
}

/** The default period in which the service also signs events with the former secret. */
export const defaultSecretGrace = Duration.days(1)
export const maxSecretGrace = Duration.days(7)

/** The pattern accepts printable ASCII characters, including the space. */
export const secretPattern = /^[ -~]{32,256}$/u

export const secretConstraint =
  "must be 32 to 256 printable ASCII characters, or whsec_ and 24 to 64 bytes in base64; leave it out, and one is made"

/** The secret in the examples of the documentation, which is public. */
export const exampleSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

/** Returns a problem that the pattern cannot detect, or null for a valid secret. */
export const secretProblem = (text: string): string | null =>
  text === exampleSecret
    ? "must not be the example of the documentation; leave it out, and one is made"
    : Option.isSome(signingKeyOf(text))
      ? null
      : "must be 24 to 64 bytes in base64 after whsec_, with + and / and with its padding; leave it out, and one is made"

export const mintSecret = (random: SecureRandom.SecureRandom["Service"]): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.map(random.randomBytes(32), (bytes) => Redacted.make(`whsec_${Base64.encode(bytes)}`))

/**
 * The encryption purpose of a webhook's secret. If an encrypted secret is copied to the row of another webhook,
 * decryption fails.
 */
export const encryptionPurpose = (id: WebhookId): string => `webhook ${id}`
