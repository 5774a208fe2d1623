/**
 * Calculates when a rotated key ends, and creates its successor. ApiKeyStore stores the rotated key and its successor
 * in one transaction.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ApiKeyId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { type ApiKey, findKeyRejection, type KeyExpired, type KeyRevoked } from "./ApiKey.ts"

/** The API key was already rotated. The caller can rotate the key's successor instead. */
export class KeyAlreadyRotated extends Schema.TaggedError<KeyAlreadyRotated>()("KeyAlreadyRotated", {}) {}

/** The default grace period, in which a rotated key keeps working. */
export const defaultGracePeriod = Duration.days(1)
export const maxGracePeriod = Duration.days(7)

export interface ApiKeyRotation {
  /**
   * When the old key stops working: at the end of the grace period, or at the key's expiry if the expiry is earlier.
   */
  readonly revokedAt: Instant.Instant
  /** If there is no grace period, `isRevoked` is true, so that even a node with a slow clock rejects the old key. */
  readonly isRevoked: boolean
  readonly successor: ApiKey
}

/**
 * The successor has the old key's scopes, addresses and lifetime. The old key and its successor share their rate
 * windows.
 */
export const rotateApiKey = (
  present: ApiKey,
  fresh: { readonly id: ApiKeyId; readonly prefix: string },
  grace: Duration.Duration,
  now: Instant.Instant
): Result.Result<ApiKeyRotation, KeyRevoked | KeyExpired | KeyAlreadyRotated> => {
  const refused = findKeyRejection(present, now)
  if (Option.isSome(refused)) return Result.fail(refused.value)
  if (present.revokedAt !== null) return Result.fail(new KeyAlreadyRotated())
  const end = Instant.plus(now, grace)
  const { createdAt, expiresAt } = present
  return Result.succeed({
    revokedAt: expiresAt === null ? end : Math.min(end, expiresAt),
    isRevoked: Duration.isZero(grace),
    successor: {
      ...present,
      ...fresh,
      createdAt: now,
      expiresAt: expiresAt === null ? null : Math.min(now + (expiresAt - createdAt), Instant.latestInstant),
      lastUsedAt: null
    }
  })
}
