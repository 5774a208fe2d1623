/** A key that a partner's server calls with: its text, what is kept of it, and whether it is good at a moment. Replacing one is KeyRotation's. */
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ApiKeyId, OrganizationId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import { checksum, toBase62 } from "../shared/Secret.ts"
import type { Scope } from "./Scope.ts"

export interface ApiKey {
  readonly id: ApiKeyId
  /** The first key of its line of rotations, itself when it is the first: its calls count in that key's rate windows. */
  readonly lineageId: ApiKeyId
  readonly organizationId: OrganizationId
  readonly name: string
  /** `pk_<env>_` and the first 8 characters: enough to recognize, not to use. */
  readonly prefix: string
  readonly scopes: ReadonlyArray<Scope>
  readonly environment: Environment
  /** As the partner wrote them; empty: any address. */
  readonly ipAllowList: ReadonlyArray<string>
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  /** May lie ahead: a rotated key works until then. */
  readonly revokedAt: Instant | null
  /** Revoked outright, for every reader from now on: whoever's clock is behind `revokedAt`, or steps back behind it. */
  readonly isRevoked: boolean
  /** May lag by some seconds; null before the first call. */
  readonly lastUsedAt: Instant | null
}

export class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", {}) {}
export class KeyExpired extends Schema.TaggedError<KeyExpired>()("KeyExpired", {}) {}

/** The owner has as many active keys as there may be. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", { most: Schema.Number }) {}

/** Active keys of one organization in one environment. One that was rotated is counted as its successor alone. */
export const maxActiveKeys = 20

const bodyLength = 32
const text = /^pk_(live|test)_[0-9A-Za-z]{38}$/

/** `pk_<env>_`, 32 random characters, and 6 of checksum over everything before them. */
export const mintText = (
  environment: Environment,
  random: SecureRandom.SecureRandom["Service"]
): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.map(random.randomBytes(bodyLength * 2), (bytes) => {
    const unchecked = `pk_${environment}_${toBase62(bytes, bodyLength)}`
    return Redacted.make(unchecked + checksum(unchecked))
  })

/** The environment that a well-formed key names; none for a mistyped one, found out without a look-up. */
export const environmentOf = (key: string): Option.Option<Environment> => {
  if (!text.test(key) || checksum(key.slice(0, -6)) !== key.slice(-6)) return Option.none()
  return Option.some(key.startsWith("pk_live_") ? "live" : "test")
}

export const prefixOf = (key: string): string => key.slice(0, "pk_live_".length + 8)

/** Why the key is not good at this moment; none when it is. A revoked key stays revoked whatever its expiry says. */
export const refusal = (key: ApiKey, now: Instant): Option.Option<KeyRevoked | KeyExpired> => {
  if (key.isRevoked || (key.revokedAt !== null && key.revokedAt <= now)) return Option.some(new KeyRevoked())
  return key.expiresAt !== null && key.expiresAt <= now ? Option.some(new KeyExpired()) : Option.none()
}
