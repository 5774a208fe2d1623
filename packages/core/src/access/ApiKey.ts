/** An API key of a partner: its text, its stored form and its validity. KeyRotation replaces keys. */
import type * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { ApiKeyId, OrganizationId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import { checksumOf, toBase62 } from "../shared/Secret.ts"
import type { StoredScope } from "./Scope.ts"

export interface ApiKey {
  readonly id: ApiKeyId
  /** `layerProcess` notifies subscribers in this process only. Rate windows count calls by this id. */
  readonly lineageId: ApiKeyId
  readonly organizationId: OrganizationId
  readonly name: string
  /** `pk_<env>_` and the first 8 characters: enough to recognize a key, not to use it. */
  readonly prefix: string
  /** As stored: `knownScopes` selects the scopes that views show. */
  readonly scopes: ReadonlyArray<StoredScope>
  readonly environment: Environment
  /** The addresses as the partner wrote them. Empty allows any address. */
  readonly ipAllowList: ReadonlyArray<string>
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  /** `revokedAt` can be in the future: a rotated key works until then. */
  readonly revokedAt: Instant | null
  /** `isRevoked`: the key is revoked for every node, whatever the node's clock says about `revokedAt`. */
  readonly isRevoked: boolean
  /** The stored time can lag by some seconds. The time is null before the key's first call. */
  readonly lastUsedAt: Instant | null
}

export class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", {}) {}
export class KeyExpired extends Schema.TaggedError<KeyExpired>()("KeyExpired", {}) {}

/** The owner has reached the maximum number of active keys. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", { limit: Schema.Number }) {}

/** Maximum number of active keys of an organization in one environment. A rotated key and its successor count once. */
export const maxActiveKeys = 20

const bodyLength = 32
const text = /^pk_(live|test)_[0-9A-Za-z]{38}$/

/** An API key's text is `pk_<env>_`, 32 random characters, and a checksum of 6 characters over everything before it. */
export const mintKeyText = (
  environment: Environment,
  random: SecureRandom.SecureRandom["Service"]
): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.map(random.randomBytes(bodyLength * 2), (bytes) => {
    const unchecked = `pk_${environment}_${toBase62(bytes, bodyLength)}`
    return Redacted.make(unchecked + checksumOf(unchecked))
  })

/** Returns the environment in a well-formed key. The checksum detects mistyped keys without a query. */
export const environmentOfKey = (key: string): Option.Option<Environment> => {
  if (!text.test(key) || checksumOf(key.slice(0, -6)) !== key.slice(-6)) return Option.none()
  return Option.some(key.startsWith("pk_live_") ? "live" : "test")
}

export const keyPrefixOf = (key: string): string => key.slice(0, "pk_live_".length + 8)

/**
 * Returns why the key is invalid at this time; none when the key is valid. A revoked key stays revoked, even when it
 * has expired.
 */
export const refusalOfKey = (key: ApiKey, now: Instant): Option.Option<KeyRevoked | KeyExpired> => {
  if (key.isRevoked || (key.revokedAt !== null && key.revokedAt <= now)) return Option.some(new KeyRevoked())
  return key.expiresAt !== null && key.expiresAt <= now ? Option.some(new KeyExpired()) : Option.none()
}
