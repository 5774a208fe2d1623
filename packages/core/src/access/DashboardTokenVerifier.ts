/** The port that verifies dashboard tokens. The core finds and checks the organization of a verified token. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** The claims of a valid dashboard token. */
export interface DashboardTokenClaims {
  /** The claim that identifies the organization, by its id in this service or by its id at the identity provider. */
  readonly organization: string
  /** The user's id at the identity provider; null when the token contains no user. */
  readonly subject: string | null
}

/** The token is missing or invalid. `expired` is true only for a genuine token that has expired. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", { expired: Schema.Boolean }) {}

/** The identity provider does not answer, so the service cannot verify the token. */
export class IdentityUnreachable extends Schema.TaggedError<IdentityUnreachable>()("IdentityUnreachable", {
  reason: Schema.String
}) {
  override get message() {
    return `The identity provider cannot be reached: ${this.reason}`
  }
}

export class DashboardTokenVerifier extends Context.Service<
  DashboardTokenVerifier,
  {
    /**
     * `verify` accepts any text. The rejection of a very long text must not take longer than the check of a normal
     * token.
     */
    readonly verify: (token: string) => Effect.Effect<DashboardTokenClaims, TokenRefused | IdentityUnreachable>
  }
>()("@partner-commentary/core/access/DashboardTokenVerifier") {
  /** `layerNone` rejects every token. A service without an identity provider uses this layer. */
  static readonly layerNone = Layer.succeed(DashboardTokenVerifier, {
    verify: () => Effect.fail(new TokenRefused({ expired: false }))
  })
}
