/** Replacing a key: what becomes of it, and what its successor is. Storing both at once is ApiKeyStore's. */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ApiKeyId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { type ApiKey, type KeyExpired, type KeyRevoked, refusal } from "./ApiKey.ts"

/** It has a successor already, which is the one to rotate. */
export class KeyRotated extends Schema.TaggedError<KeyRotated>()("KeyRotated", {}) {}

/** How long a rotated key keeps working, unless told otherwise. */
export const defaultGrace = Duration.days(1)
export const maxGrace = Duration.days(7)

export interface Rotation {
  /** When the old key ends: after its grace, or when it would have expired anyway. */
  readonly revokedAt: Instant.Instant
  /** Without a grace it ends whatever a clock says. */
  readonly isRevoked: boolean
  readonly successor: ApiKey
}

/** A successor may do what its predecessor may, for as long as that was made to last, and counts in the same rate windows. */
export const rotate = (
  present: ApiKey,
  fresh: { readonly id: ApiKeyId; readonly prefix: string },
  grace: Duration.Duration,
  now: Instant.Instant
): Result.Result<Rotation, KeyRevoked | KeyExpired | KeyRotated> => {
  const refused = refusal(present, now)
  if (Option.isSome(refused)) return Result.fail(refused.value)
  if (present.revokedAt !== null) return Result.fail(new KeyRotated())
  const end = Instant.plus(now, grace)
  const { createdAt, expiresAt } = present
  return Result.succeed({
    revokedAt: expiresAt === null ? end : Math.min(end, expiresAt),
    isRevoked: Duration.isZero(grace),
    successor: {
      ...present,
      ...fresh,
      createdAt: now,
      expiresAt: expiresAt === null ? null : Math.min(now + (expiresAt - createdAt), Instant.latest),
      lastUsedAt: null
    }
  })
}
