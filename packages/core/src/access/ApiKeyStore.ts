/** The port that keeps API keys, by the hash of their text. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ApiKeyId, OrganizationId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { ApiKey } from "./ApiKey.ts"

export class ApiKeyStore extends Context.Service<
  ApiKeyStore,
  {
    readonly insert: (key: ApiKey, hash: string) => Effect.Effect<void>
    /** Revoked and expired ones too: they answer with a code of their own. */
    readonly findByHash: (hash: string) => Effect.Effect<Option.Option<ApiKey>>
    /** Newest first, revoked ones included. */
    readonly list: (organizationId: OrganizationId) => Effect.Effect<ReadonlyArray<ApiKey>>
    /** Keeps the first moment of revocation. None when there is no such key. */
    readonly revoke: (id: ApiKeyId, at: Instant) => Effect.Effect<Option.Option<ApiKey>>
    /** Never moves a key's last use back. */
    readonly markUsed: (uses: ReadonlyArray<{ readonly id: ApiKeyId; readonly at: Instant }>) => Effect.Effect<void>
  }
>()("@partner-commentary/core/access/ApiKeyStore") {}
