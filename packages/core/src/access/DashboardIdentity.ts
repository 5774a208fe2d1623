/** The port that verifies dashboard tokens. Dashboard finds the organization and checks it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** The claims of a valid token. */
export interface DashboardToken {
  /** The claim with the organization's id or identity id. */
  readonly organization: string
  /** The user's id at the identity provider; null when the token has none. */
  readonly subject: string | null
}

/** A missing or invalid token. The error reveals only whether a genuine token has expired. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", { expired: Schema.Boolean }) {}

/** The identity provider does not answer, so the token cannot be verified. */
export class IdentityUnreachable extends Schema.TaggedError<IdentityUnreachable>()("IdentityUnreachable", {
  reason: Schema.String
}) {
  override get message() {
    return `The identity provider cannot be reached: ${this.reason}`
  }
}

export class DashboardIdentity extends Context.Service<
  DashboardIdentity,
  {
    /** `verify` accepts any text. Verifying a very long text costs no more than verifying a normal token. */
    readonly verify: (token: string) => Effect.Effect<DashboardToken, TokenRefused | IdentityUnreachable>
  }
>()("@partner-commentary/core/access/DashboardIdentity") {
  /** Rejects every token: for a service whose keys are managed elsewhere. */
  static readonly layerNone = Layer.succeed(DashboardIdentity, {
    verify: () => Effect.fail(new TokenRefused({ expired: false }))
  })
}
