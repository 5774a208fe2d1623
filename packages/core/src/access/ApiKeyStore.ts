/** The port that stores API keys by the hash of their text. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { ApiKeyId, OrganizationId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { ApiKey, TooManyKeys } from "./ApiKey.ts"

/** A key to be stored. */
export interface IssuedKey {
  readonly key: ApiKey
  readonly hash: string
}

/** The new state of a key. The store writes all of it in one transaction. */
export interface KeyChange {
  /** An omitted name or address list stays as it is. */
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
     * Writes the key and its audit entry in one transaction. Fails when `limit` keys of its organization and
     * environment are neither revoked, rotated nor expired at its creation, also under concurrency.
     */
    readonly insert: (issued: IssuedKey, limit: number, record: AuditEntry) => Effect.Effect<void, TooManyKeys>
    /** The result includes revoked and expired keys, which have their own error codes. */
    readonly findByHash: (hash: string) => Effect.Effect<Option.Option<ApiKey>>
    /** Finds only this organization's keys, including revoked and expired ones. */
    readonly find: (organizationId: OrganizationId, id: ApiKeyId) => Effect.Effect<Option.Option<ApiKey>>
    /** Lists keys newest first: valid keys, and keys that were revoked or expired since this time. */
    readonly list: (
      organizationId: OrganizationId,
      endedSince: Instant,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ApiKey>>
    /**
     * Returns the changed key. None when the key does not exist or belongs to another organization. Concurrent changes
     * of one key run one after the other, so that the second sees the result of the first.
     */
    readonly modify: <E>(
      id: ApiKeyId,
      /** A null `organizationId` selects the keys of any organization. */
      organizationId: OrganizationId | null,
      decide: (present: ApiKey) => Result.Result<KeyChange, E>
    ) => Effect.Effect<Option.Option<ApiKey>, E>
    /** The method never sets a key's last use to an earlier time. */
    readonly markUsed: (uses: ReadonlyArray<{ readonly id: ApiKeyId; readonly at: Instant }>) => Effect.Effect<void>
  }
>()("@partner-commentary/core/access/ApiKeyStore") {}
