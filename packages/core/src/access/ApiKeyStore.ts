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
export interface ApiKeyWithHash {
  readonly key: ApiKey
  readonly hash: string
}

/** The new state of a key. The store writes the whole change in one transaction. */
export interface ApiKeyChange {
  /** An omitted name or address list stays unchanged. */
  readonly name?: string
  readonly ipAllowList?: ReadonlyArray<string>
  readonly revokedAt: Instant | null
  readonly isRevoked: boolean
  readonly successor: ApiKeyWithHash | null
  /** The audit entry of the change; null when nothing changes. */
  readonly record: AuditEntry | null
}

export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /**
     * Writes the key and its audit entry in one transaction. Fails when the organization already has `limit` active
     * keys in this environment. Revoked, rotated and expired keys are not active. Concurrent inserts cannot exceed the
     * limit.
     */
    readonly insert: (issued: ApiKeyWithHash, limit: number, record: AuditEntry) => Effect.Effect<void, TooManyKeys>
    /** Also finds revoked and expired keys, because the API has separate error codes for these keys. */
    readonly findByHash: (hash: string) => Effect.Effect<Option.Option<ApiKey>>
    /** Finds a key of this organization, even if the key is revoked or expired. */
    readonly find: (organizationId: OrganizationId, id: ApiKeyId) => Effect.Effect<Option.Option<ApiKey>>
    /**
     * Lists keys newest first. The list contains valid keys, and keys that were revoked or expired since `endedSince`.
     */
    readonly list: (
      organizationId: OrganizationId,
      endedSince: Instant,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ApiKey>>
    /**
     * Returns the changed key; none when the key does not exist or belongs to another organization. Concurrent changes
     * of one key run one after the other. Each call of `modify` reads the key that the previous call stored.
     */
    readonly modify: <E>(
      id: ApiKeyId,
      /** The organization of the key; null selects a key of any organization. */
      organizationId: OrganizationId | null,
      decide: (present: ApiKey) => Result.Result<ApiKeyChange, E>
    ) => Effect.Effect<Option.Option<ApiKey>, E>
    /** Stores when keys were last used. `markUsed` ignores a time that is earlier than the stored time. */
    readonly markUsed: (uses: ReadonlyArray<{ readonly id: ApiKeyId; readonly at: Instant }>) => Effect.Effect<void>
  }
>()("@partner-commentary/core/access/ApiKeyStore") {}
