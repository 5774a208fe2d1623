/** The port that keeps API keys, by the hash of their text. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Result from "effect/Result"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { ApiKeyId, OrganizationId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { ApiKey, TooManyKeys } from "./ApiKey.ts"

/** A key on its way in. */
export interface IssuedKey {
  readonly key: ApiKey
  readonly hash: string
}

/** What ends a key: stored whole or not at all. */
export interface KeyChange {
  readonly revokedAt: Instant
  readonly isRevoked: boolean
  readonly successor: IssuedKey | null
  /** Null where nothing changes. */
  readonly record: AuditEntry | null
}

export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    /**
     * With its entry of the audit log, or not at all. Fails when as many keys of its organization and environment as may be
     * are neither revoked, rotated nor expired at its creation, however many come at once.
     */
    readonly insert: (issued: IssuedKey, most: number, record: AuditEntry) => Effect.Effect<void, TooManyKeys>
    /** Revoked and expired ones too: they answer with a code of their own. */
    readonly findByHash: (hash: string) => Effect.Effect<Option.Option<ApiKey>>
    /** Revoked and expired ones too, this organization's alone. */
    readonly find: (organizationId: OrganizationId, id: ApiKeyId) => Effect.Effect<Option.Option<ApiKey>>
    /** Newest first: what is good, and what was revoked or has expired since that moment. */
    readonly list: (
      organizationId: OrganizationId,
      endedSince: Instant,
      most: number
    ) => Effect.Effect<ReadonlyArray<ApiKey>>
    /**
     * Answers with the key as it is then; none when there is no such key, or it is another organization's. Two changes of one
     * key happen one after the other, so the second one sees what the first one made of it.
     */
    readonly modify: <E>(
      id: ApiKeyId,
      /** Null: any organization's. */
      organizationId: OrganizationId | null,
      decide: (present: ApiKey) => Result.Result<KeyChange, E>
    ) => Effect.Effect<Option.Option<ApiKey>, E>
    /** Never moves a key's last use back. */
    readonly markUsed: (uses: ReadonlyArray<{ readonly id: ApiKeyId; readonly at: Instant }>) => Effect.Effect<void>
  }
>()("@partner-commentary/core/access/ApiKeyStore") {}
