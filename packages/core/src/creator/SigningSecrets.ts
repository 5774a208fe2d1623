/** The secrets that sign links: the first signs, all verify. Hosts provide them. */
import * as Context from "effect/Context"
import type * as Redacted from "effect/Redacted"

export class SigningSecrets extends Context.Service<
  SigningSecrets,
  readonly [Redacted.Redacted<string>, ...ReadonlyArray<Redacted.Redacted<string>>]
>()("@partner-commentary/core/creator/SigningSecrets") {}
