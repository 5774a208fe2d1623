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
  /** A key and its successors have the same lineage id. Rate windows count calls by the lineage id. */
  readonly lineageId: ApiKeyId
  readonly organizationId: OrganizationId
  readonly name: string
  /** The start of the key's text: `pk_<env>_` and 8 characters. The prefix identifies a key but cannot replace it. */
  readonly prefix: string
  /** The scopes as stored. `knownScopes` selects the scopes that responses show. */
  readonly scopes: ReadonlyArray<StoredScope>
  readonly environment: Environment
  /** The allowed IP addresses as the partner wrote them. An empty list allows any address. */
  readonly ipAllowList: ReadonlyArray<string>
  readonly createdAt: Instant
  readonly expiresAt: Instant | null
  /** The time of the revocation. A rotated key has a time in the future and works until then. */
  readonly revokedAt: Instant | null
  /** True when the key is revoked on every node, even if a node's clock is before `revokedAt`. */
  readonly isRevoked: boolean
  /** The stored time of the last call, which can be some seconds old; null before the first call. */
  readonly lastUsedAt: Instant | null
}

export class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", {}) {}
export class KeyExpired extends Schema.TaggedError<KeyExpired>()("KeyExpired", {}) {}

/** The owner has reached the maximum number of active keys. */
export class TooManyKeys extends Schema.TaggedError<TooManyKeys>()("TooManyKeys", { limit: Schema.Number }) {}

/**
 * Maximum number of active keys of an organization in one environment. A rotated key and its successor count as one
 * key.
 */
export const maxActiveKeys = 20

const bodyLength = 32
const text = /^pk_(live|test)_[0-9A-Za-z]{38}$/

/**
 * Creates the text of an API key: `pk_<env>_`, 32 random characters, and a checksum of 6 characters over the other
 * text.
 */
export const mintKeyText = (
  environment: Environment,
  random: SecureRandom.SecureRandom["Service"]
): Effect.Effect<Redacted.Redacted<string>> =>
  Effect.map(random.randomBytes(bodyLength * 2), (bytes) => {
    const unchecked = `pk_${environment}_${toBase62(bytes, bodyLength)}`
    return Redacted.make(unchecked + checksumOf(unchecked))
  })

/** Returns the environment of a well-formed key. The checksum detects mistyped keys without a query. */
export const environmentOfKey = (key: string): Option.Option<Environment> => {
  if (!text.test(key) || checksumOf(key.slice(0, -6)) !== key.slice(-6)) return Option.none()
  return Option.some(key.startsWith("pk_live_") ? "live" : "test")
}

export const keyPrefixOf = (key: string): string => key.slice(0, "pk_live_".length + 8)

/**
 * Returns why the key is invalid at this time; none when the key is valid. A key that is both revoked and expired
 * counts as revoked.
 */
export const refusalOfKey = (key: ApiKey, now: Instant): Option.Option<KeyRevoked | KeyExpired> => {
  if (key.isRevoked || (key.revokedAt !== null && key.revokedAt <= now)) return Option.some(new KeyRevoked())
  return key.expiresAt !== null && key.expiresAt <= now ? Option.some(new KeyExpired()) : Option.none()
}
