/** The port that stores API keys by the hash of their text. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { ApiKeyId, OrganizationId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { ApiKey, TooManyKeys } from "./ApiKey.ts"

/** A new key that the store inserts. */
export interface IssuedKey {
  readonly key: ApiKey
  readonly hash: string
}

/** The new state of a key, which the store writes in one transaction. */
export interface KeyChange {
  /** An omitted name or address list does not change. */
  readonly name?: string
  readonly ipAllowList?: ReadonlyArray<string>
  readonly revokedAt: Instant | null
  readonly isRevoked: boolean
  readonly successor: IssuedKey | null
  /** The audit entry of the change; null when nothing changes. */
  readonly record: AuditEntry | null
}

export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /**
     * Writes the key and its audit entry in one transaction. Fails when the organization already has `limit` active
     * keys in the environment, even when inserts are concurrent. Revoked, rotated and expired keys are not active.
     */
    readonly insert: (issued: IssuedKey, limit: number, record: AuditEntry) => Effect.Effect<void, TooManyKeys>
    /**
     * Returns the key with this hash. The result can be a revoked or expired key, because each has its own error code.
     */
    readonly findByHash: (hash: string) => Effect.Effect<Option.Option<ApiKey>>
    /** Returns the organization's key with this id, even if the key is revoked or expired. */
    readonly find: (organizationId: OrganizationId, id: ApiKeyId) => Effect.Effect<Option.Option<ApiKey>>
    /**
     * Lists keys, newest first. The list contains valid keys, and keys that were revoked or expired since this time.
     */
    readonly list: (
      organizationId: OrganizationId,
      endedSince: Instant,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ApiKey>>
    /**
     * Returns the changed key, or none when the organization has no such key. Concurrent changes of one key run in
     * sequence, so the second change sees the result of the first.
     */
    readonly modify: <E>(
      id: ApiKeyId,
      /** The organization of the key; null selects a key of any organization. */
      organizationId: OrganizationId | null,
      decide: (present: ApiKey) => Result.Result<KeyChange, E>
    ) => Effect.Effect<Option.Option<ApiKey>, E>
    /** Stores when the keys were last used. The stored time never moves to an earlier time. */
    readonly markUsed: (uses: ReadonlyArray<{ readonly id: ApiKeyId; readonly at: Instant }>) => Effect.Effect<void>
  }
>()("@partner-commentary/core/access/ApiKeyStore") {}
