/** The signing secrets of webhooks: validation, generation and storage. WebhookSignature signs. */
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import { signingKeyOf } from "./WebhookSignature.ts"

/** The former secret after a rotation, as stored. Until this time, events are signed with both secrets. */
export interface FormerSecret {
  readonly encrypted: string
  readonly until: Instant
}

/** The secrets of a webhook, as stored. The grace period of the former secret may be over. */
export interface WebhookSecrets {
  readonly encryptedSecret: string
  readonly formerSecret: FormerSecret | null
}

/** Default time for which events are also signed with the former secret. */
export const defaultSecretGrace = Duration.days(1)
export const maxSecretGrace = Duration.days(7)

/** Printable ASCII including the space. */
export const secretPattern = /^[ -~]{32,256}$/u

export const secretConstraint =
  "must be 32 to 256 printable ASCII characters, or whsec_ and 24 to 64 bytes in base64; leave it out, and one is made"

/** The secret in the documentation's examples. The example secret is public. */
export const exampleSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="

/** Checks that the pattern cannot express. */
export const secretProblem = (text: string): string | null =>
  text === exampleSecret
    ? "must not be the example of the documentation; leave it out, and one is made"
    : Option.isSome(signingKeyOf(text))
      ? null
      : "must be 24 to 64 bytes in base64 after whsec_, with + and / and with its padding; leave it out, and one is made"

export const mintSecret = (random: SecureRandom.SecureRandom["Service"]): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.map(random.randomBytes(32), (bytes) => Redacted.make(`whsec_${Base64.encode(bytes)}`))

/**
 * The encryption purpose of a webhook's secret. A secret that was moved to another webhook's row cannot be decrypted.
 */
export const encryptionPurpose = (id: WebhookId): string => `webhook ${id}`
