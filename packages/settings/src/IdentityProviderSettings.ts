/** Reads the identity provider of dashboard tokens from `JWKS_URL` and related variables. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Parser from "./Parser.ts"
import * as Variable from "./Variable.ts"
import { InvalidSetting } from "./Variable.ts"
import type { VariableName } from "./VariableNames.ts"

export interface IdentityProviderSettings {
  readonly jwksUrl: string
  readonly issuer: string
  readonly audience: string
  readonly organizationClaim: string
}

const defaultClaim = "org_id"

/**
 * Returns none if no identity provider is configured. Without a configured identity provider, development mode uses the
 * local identity provider.
 */
export const readIdentityProviderSettings: Effect.Effect<
  Option.Option<IdentityProviderSettings>,
  InvalidSetting
> = Effect.gen(function* () {
  const jwksUrl = yield* Variable.readOptional("JWKS_URL", Parser.httpUrlParser)
  if (Option.isNone(jwksUrl)) return Option.none()
  return Option.some({
    jwksUrl: jwksUrl.value,
    issuer: yield* readRequiredText("JWT_ISSUER", "the iss of its tokens"),
    audience: yield* readRequiredText("JWT_AUDIENCE", "the `aud` claim of tokens for this service"),
    organizationClaim: Option.getOrElse(yield* Variable.readText("JWT_ORG_CLAIM"), () => defaultClaim)
  })
})

const readRequiredText = Effect.fnUntraced(function* (name: VariableName, what: string) {
  const value = yield* Variable.readText(name)
  if (Option.isSome(value)) return value.value
  return yield* new InvalidSetting({ name, reason: `must be set if JWKS_URL is set: ${what}` })
})
