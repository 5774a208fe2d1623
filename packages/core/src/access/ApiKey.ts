/**
 * Defines a partner's API key: its text (the full secret key), its stored form and its validity. ApiKeyRotation
 * replaces keys.
 */
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ApiKeyId, OrganizationId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import { calculateTokenChecksum, toBase62 } from "../shared/Secret.ts"
import type { StoredApiKeyScope } from "./Scope.ts"

export interface ApiKey {
  readonly id: ApiKeyId
  /** The id of the first key in a chain of rotations. All keys of a rotation chain share their rate windows. */
  readonly lineageId: ApiKeyId
  readonly organizationId: OrganizationId
  readonly name: string
  /**
   * The prefix of an API key is `pk_<env>_` and the next 8 characters. The prefix identifies the key but cannot
   * authenticate a request.
   */
  readonly prefix: string
  /** The scopes as stored. `filterKnownScopes` selects the scopes that the API shows. */
  readonly scopes: ReadonlyArray<StoredApiKeyScope>
  readonly environment: Environment
  /** The allowed addresses in the partner's own spelling. An empty list allows any address. */
  readonly ipAllowList: ReadonlyArray<string>
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  /** `revokedAt` of a rotated key can be in the future. The rotated key works until `revokedAt`. */
  readonly revokedAt: Instant | null
  /** If `isRevoked` is true, every node rejects the key, even a node whose clock is before `revokedAt`. */
  readonly isRevoked: boolean
  /**
   * The stored time of the last use can be some seconds before the latest call. The time of the last use is null before
   * the key's first call.
   */
  readonly lastUsedAt: Instant | null
}

export class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", {}) {}
export class KeyExpired extends Schema.TaggedError<KeyExpired>()("KeyExpired", {}) {}

/** The organization has reached the maximum number of active keys in this environment. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", { limit: Schema.Number }) {}

/**
 * Maximum number of active keys of an organization in one environment. A rotated key and its successor count as one
 * key.
 */
export const maxActiveKeys = 20

const bodyLength = 32
const text = /^pk_(live|test)_[0-9A-Za-z]{38}$/

/** An API key's text is `pk_<env>_`, then 32 random characters, then a checksum of 6 characters. */
export const generateKeyText = (
  environment: Environment,
  random: SecureRandom.SecureRandom["Service"]
): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.map(random.randomBytes(bodyLength * 2), (bytes) => {
    const unchecked = `pk_${environment}_${toBase62(bytes, bodyLength)}`
    return Redacted.make(unchecked + calculateTokenChecksum(unchecked))
  })

/** Returns the environment of a well-formed key; none for a malformed key. The checksum detects mistyped keys. */
export const parseKeyEnvironment = (key: string): Option.Option<Environment> => {
  if (!text.test(key) || calculateTokenChecksum(key.slice(0, -6)) !== key.slice(-6)) return Option.none()
  return Option.some(key.startsWith("pk_live_") ? "live" : "test")
}

export const extractKeyPrefix = (key: string): string => key.slice(0, "pk_live_".length + 8)

/**
 * Returns the reason why the key is invalid at the time `now`; none when the key is valid. A revoked key that has also
 * expired is reported as revoked.
 */
export const findKeyRejection = (key: ApiKey, now: Instant): Option.Option<KeyRevoked | KeyExpired> => {
  if (key.isRevoked || (key.revokedAt !== null && key.revokedAt <= now)) return Option.some(new KeyRevoked())
  return key.expiresAt !== null && key.expiresAt <= now ? Option.some(new KeyExpired()) : Option.none()
}
