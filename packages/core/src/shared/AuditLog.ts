/**
 * The port of the append-only audit log. The audit log contains actions on keys, licences, assignments and webhooks.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { OrganizationId } from "./Ids.ts"

export interface AuditEntry {
  /** The name of the action, such as `key.created`, `license.granted` or `creator.approved`. */
  readonly action: string
  /** The id of the object that the action changed. */
  readonly subject: string
  readonly organizationId: OrganizationId | null
  /** The details of the entry. Secrets and a creator's words never appear in the details, except as hashes. */
  readonly details: Schema.JsonObject
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /**
     * Writes an entry with the time of Effect's Clock. Within a transaction, the write is part of that transaction.
     */
    readonly record: (entry: AuditEntry) => Effect.Effect<void>
  }
>()("@partner-commentary/core/shared/AuditLog") {}
