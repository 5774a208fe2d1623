/** The port of the append-only audit log for keys, licences, assignments and webhooks. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { OrganizationId } from "./Ids.ts"

export interface AuditEntry {
  /** The action's name, such as `key.created`, `license.granted` or `creator.approved`. */
  readonly action: string
  /** The id of the changed object. */
  readonly subject: string
  readonly organizationId: OrganizationId | null
  /** The details never contain secrets or a creator's words; at most they contain hashes of them. */
  readonly details: Schema.JsonObject
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** The entry's time comes from Effect's Clock, and the write joins a surrounding transaction. */
    readonly record: (entry: AuditEntry) => Effect.Effect<void>
  }
>()("@partner-commentary/core/shared/AuditLog") {}
