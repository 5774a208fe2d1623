/**
 * The port that stores webhooks. The caller encrypts the secrets. Each change is stored together with its audit entry
 * and its notice.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { OrganizationId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { ContactNotice } from "./ContactNotice.ts"
import type { Webhook } from "./Webhook.ts"
import type { WebhookSecrets } from "./WebhookSecret.ts"

type Recorded = Pick<AuditEntry, "action" | "details">

/** A created or changed webhook. The store writes the webhook, the audit entry and the mail in the same transaction. */
export interface WebhookChange {
  readonly webhook: Webhook
  readonly audit: Recorded
  readonly notice: ContactNotice | null
}

/** The time and reason at which the service disabled a webhook, from the audit log. */
export interface DisabledEntry {
  readonly at: Instant
  /** The reason of the last failure before the disabling. */
  readonly reason: string
}

/** The owner has reached the maximum number of webhooks. */
export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  limit: Schema.Int
}) {}

export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    /**
     * Inserts a webhook. The insert fails when the owner already has `limit` webhooks, even when inserts are
     * concurrent.
     */
    readonly insert: (
      change: WebhookChange,
      encryptedSecret: string,
      limit: number
    ) => Effect.Effect<void, TooManyWebhooks>
    readonly find: (owner: Owner, id: WebhookId) => Effect.Effect<Option.Option<Webhook>>
    /** Lists the owner's webhooks by creation time and then by id, both descending. */
    readonly list: (owner: Owner) => Effect.Effect<ReadonlyArray<Webhook>>
    /**
     * Lists webhooks of all organizations, or of one organization, for operators. The list is sorted by organization.
     * Within each organization, live webhooks come first, and newer webhooks come first in each environment.
     */
    readonly listAll: (of: {
      readonly organizationId: OrganizationId | null
      readonly disabled: boolean
    }) => Effect.Effect<ReadonlyArray<Webhook>>
    /** Returns the latest disabling of each webhook. Webhooks that were never disabled are absent. */
    readonly latestDisablings: (ids: ReadonlyArray<WebhookId>) => Effect.Effect<ReadonlyMap<WebhookId, DisabledEntry>>
    /**
     * Locks the webhook, calls the pure decision and writes the change in one transaction. Concurrent calls run in
     * sequence. If the decision returns the same object, the store writes nothing. Returns none when the owner has no
     * such webhook. A null owner means an operator, who can access all webhooks.
     */
    readonly modify: (
      owner: Owner | null,
      id: WebhookId,
      decide: (present: Webhook) => WebhookChange
    ) => Effect.Effect<Option.Option<Webhook>>
    /**
     * Deletes the webhook with its secret, and stops its deliveries. `clear` later deletes the rows of these
     * deliveries. Returns false when the owner has no such webhook.
     */
    readonly remove: (owner: Owner, id: WebhookId, audit: Recorded) => Effect.Effect<boolean>
    /** Deletes up to `limit` rows of removed webhooks and returns the number of deleted rows; 0 when no row is left. */
    readonly clear: (limit: number) => Effect.Effect<number>
    /** Reads both secrets in one query, so that a concurrent rotation cannot return the same secret twice. */
    readonly secrets: (id: WebhookId) => Effect.Effect<Option.Option<WebhookSecrets>>
    /**
     * Replaces the secret. Until `formerUntil`, the service also signs events with the former secret. If `formerUntil`
     * is null, the former secret becomes invalid at once. Returns none if the owner has no such webhook.
     */
    readonly rotateSecret: (
      owner: Owner,
      id: WebhookId,
      rotation: { readonly encrypted: string; readonly at: Instant; readonly formerUntil: Instant | null },
      audit: Recorded
    ) => Effect.Effect<Option.Option<Webhook>>
    /**
     * Returns the encrypted current and former secrets of up to `limit` webhooks after this id, ordered by webhook id.
     * The webhooks of all owners are included.
     */
    readonly encryptedSecrets: (
      behind: WebhookId | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly id: WebhookId; readonly encryptedSecret: string }>>
    /**
     * Replaces a current or former secret. If the stored secret has changed or the webhook was removed, nothing
     * changes.
     */
    readonly replaceSecret: (
      id: WebhookId,
      encrypted: { readonly from: string; readonly to: string }
    ) => Effect.Effect<void>
  }
>()("@partner-commentary/core/webhook/WebhookStore") {}
