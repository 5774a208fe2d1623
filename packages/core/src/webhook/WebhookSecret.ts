/**
 * Validates and generates the signing secrets of webhooks, and defines their stored form. WebhookSignature computes
 * signatures.
 */
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import { decodeSigningKey } from "./WebhookSignature.ts"

/**
 * The encrypted former secret after a rotation. Until the time `until`, events are signed with both the current and the
 * former secret.
 */
export interface FormerWebhookSecret {
  readonly encrypted: string
  readonly until: Instant
}

/** The encrypted secrets of a webhook. The former secret may be present even after the end of its grace period. */
export interface EncryptedWebhookSecrets {
  readonly encryptedSecret: string
  readonly formerSecret: FormerWebhookSecret | null
}

/** The default period after a rotation in which events are also signed with the former secret. */
export const defaultSecretGracePeriod = Duration.days(1)
export const maxSecretGracePeriod = Duration.days(7)

/** The pattern allows printable ASCII characters, including the space. */
export const webhookSecretPattern = /^[ -~]{32,256}$/u

export const webhookSecretConstraint =
  "must be 32 to 256 printable ASCII characters, or whsec_ and 24 to 64 bytes in base64; leave it out, and one is made"

/**
 * The secret in the documentation's examples. Registration rejects the example secret, because the example is public.
 */
export const exampleWebhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

/** Finds a problem that `webhookSecretPattern` cannot detect; null when the secret is valid. */
export const findWebhookSecretProblem = (text: string): string | null =>
  text === exampleWebhookSecret
    ? "must not be the example of the documentation; leave it out, and one is made"
    : Option.isSome(decodeSigningKey(text))
      ? null
      : "must be 24 to 64 bytes in base64 after whsec_, with + and / and with its padding; leave it out, and one is made"

export const generateWebhookSecret = (
  random: SecureRandom.SecureRandom["Service"]
): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.map(random.randomBytes(32), (bytes) => Redacted.make(`whsec_${Base64.encode(bytes)}`))

/**
 * Returns the encryption purpose of a webhook's secret. The encryption purpose contains the webhook's id, so a secret
 * that is copied to the row of another webhook cannot be decrypted there.
 */
export const makeSecretEncryptionPurpose = (id: WebhookId): string => `webhook ${id}`
