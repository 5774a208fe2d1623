/**
 * The signing secrets of the service. The first secret signs links and encrypts stored secrets. Every secret can verify
 * links and decrypt stored secrets. The host provides the signing secrets.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

type Secrets = readonly [Redacted.Redacted<string>, ...ReadonlyArray<Redacted.Redacted<string>>]

export class SigningSecrets extends Context.Service<SigningSecrets, Secrets>()(
  "@partner-commentary/core/shared/SigningSecrets"
) {
  /**
   * The first argument is the current secret, and all other arguments are former secrets. A blank secret stops the
   * service, and a short secret logs a warning.
   */
  static readonly layer = (...secrets: Secrets): Layer.Layer<SigningSecrets> =>
    Layer.effect(
      SigningSecrets,
      Effect.gen(function* () {
        yield* refuseBlankSecrets(secrets)
        if (secrets.some(isWeakSecret)) yield* Effect.logWarning(weak)
        return secrets
      })
    )
}

const valueOf = (secret: Redacted.Redacted<string>) => Redacted.value(secret)

/** Returns whether a secret is too short. An attacker who has one signed link can guess a short secret offline. */
export const isWeakSecret = (secret: Redacted.Redacted<string>): boolean => valueOf(secret).length < 32

const weak =
  "A signing secret is shorter than 32 characters and can be guessed, which allows forged creator links; put a long random text first"

/** Stops the service if a secret is blank, because with a blank secret anyone could forge links. */
export const refuseBlankSecrets = (secrets: Secrets): Effect.Effect<void> =>
  secrets.some((secret) => valueOf(secret).trim() === "") ? Effect.die(blank) : Effect.void

const blank = new Error("A signing secret is blank: give a long random text, the same for every process")
