/** The port of the append-only record: who did what to keys, licences and assignments, when, by which link or key. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { OrganizationId } from "./Ids.ts"

export interface AuditEntry {
  /** `key.created`, `license.granted`, `creator.approved`, … */
  readonly action: string
  /** The id of what was acted upon. */
  readonly subject: string
  readonly organizationId: OrganizationId | null
  /** Never secrets, never a creator's words; hashes of them where they matter. */
  readonly details: Schema.JsonObject
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Stamped with Effect's Clock; joins a surrounding transaction. */
    readonly record: (entry: AuditEntry) => Effect.Effect<void>
  }
>()("@partner-commentary/core/shared/AuditLog") {}
