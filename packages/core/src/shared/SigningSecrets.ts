/** The secrets of the service: the first signs links and seals what must not be read in the database, all verify and open. Hosts provide them. */
import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

export class SigningSecrets extends Context.Service<
  SigningSecrets,
  readonly [Redacted.Redacted<string>, ...ReadonlyArray<Redacted.Redacted<string>>]
>()("@partner-commentary/core/shared/SigningSecrets") {}
