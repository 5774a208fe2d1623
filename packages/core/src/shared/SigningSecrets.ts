/** The secrets of the service: the first signs links and seals what must not be read in the database, all verify and open. Hosts provide them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

type Secrets = readonly [Redacted.Redacted<string>, ...ReadonlyArray<Redacted.Redacted<string>>]

export class SigningSecrets extends Context.Service<SigningSecrets, Secrets>()(
  "@partner-commentary/core/shared/SigningSecrets"
) {
  /** The present one, then those before it. A blank one stops the service, a short one is warned of. */
  static readonly layer = (...secrets: Secrets): Layer.Layer<SigningSecrets> =>
    Layer.effect(
      SigningSecrets,
      Effect.gen(function* () {
        yield* refuseBlank(secrets)
        if (secrets.some(isWeak)) yield* Effect.logWarning(weak)
        return secrets
      })
    )
}

const valueOf = (secret: Redacted.Redacted<string>) => Redacted.value(secret)

/** From one link, a secret that can be guessed is found without asking us. */
export const isWeak = (secret: Redacted.Redacted<string>): boolean => valueOf(secret).length < 32

const weak =
  "A signing secret is shorter than 32 characters: who guesses it forges every creator's link; put a long random text first"

/** With it, anybody could forge what it signs. */
export const refuseBlank = (secrets: Secrets): Effect.Effect<void> =>
  secrets.some((secret) => valueOf(secret).trim() === "") ? Effect.die(blank) : Effect.void

const blank = new Error("A signing secret is blank: give a long random text, the same for every process")
