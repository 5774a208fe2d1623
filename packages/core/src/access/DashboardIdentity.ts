/** The port that tells whose dashboard a bearer token comes from. Which organization that is, and whether it may, is Dashboard's. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** What a good token says. */
export interface DashboardToken {
  /** The organization, by its id or by its identity id: the claim as it is written. */
  readonly organization: string
  /** Who signed in, as the identity provider calls them; null where it does not say. */
  readonly subject: string | null
}

/** No token, or none that is good here and now: what is wrong with it is not told apart, except that a genuine one ran out. */
export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", { expired: Schema.Boolean }) {}

/** Whether the token is good cannot be told before the identity provider answers. */
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
    /** Whatever text comes: it costs no more than a token of a usual size does. */
    readonly verify: (token: string) => Effect.Effect<DashboardToken, TokenRefused | IdentityUnreachable>
  }
>()("@partner-commentary/core/access/DashboardIdentity") {
  /** Refuses every token: for a service whose keys are managed elsewhere. */
  static readonly layerNone = Layer.succeed(DashboardIdentity, {
    verify: () => Effect.fail(new TokenRefused({ expired: false }))
  })
}
