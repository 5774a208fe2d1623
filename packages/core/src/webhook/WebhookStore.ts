/**
 * The port that stores webhooks. The caller of WebhookStore encrypts the secrets. WebhookStore writes a change with its
 * audit entry and notice in one transaction.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { AuditEntry } from "../shared/AuditLog.ts"
import type { OrganizationId, WebhookId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { Webhook } from "./Webhook.ts"
import type { WebhookContactNotice } from "./WebhookContactNotice.ts"
import type { EncryptedWebhookSecrets } from "./WebhookSecret.ts"

type Recorded = Pick<AuditEntry, "action" | "details">

/** A created or changed webhook. The store writes the webhook, the audit entry and the mail in the same transaction. */
export interface WebhookStoreChange {
  readonly webhook: Webhook
  readonly audit: Recorded
  readonly notice: WebhookContactNotice | null
}

/**
 * The time at which the service disabled a webhook, and the reason. The time and the reason come from the audit log.
 */
export interface WebhookDisablingDetails {
  readonly at: Instant
  /** The reason for the last failure before the service disabled the webhook. */
  readonly reason: string
}

/** The owner has reached the maximum number of webhooks. */
export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  limit: Schema.Int
}) {}

export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    /** `insert` fails when the owner already has `limit` webhooks. Concurrent calls cannot exceed the limit. */
    readonly insert: (
      change: WebhookStoreChange,
      encryptedSecret: string,
      limit: number
    ) => Effect.Effect<void, TooManyWebhooks>
    readonly find: (owner: Owner, id: WebhookId) => Effect.Effect<Option.Option<Webhook>>
    /** Lists an owner's webhooks, newest first. Webhooks with the same creation time are listed by descending id. */
    readonly list: (owner: Owner) => Effect.Effect<ReadonlyArray<Webhook>>
    /**
     * Lists all webhooks, or the webhooks of one organization, for operators. The list is sorted by organization; live
     * webhooks come before test webhooks, and newer webhooks before older webhooks.
     */
    readonly listAll: (of: {
      readonly organizationId: OrganizationId | null
      readonly disabled: boolean
    }) => Effect.Effect<ReadonlyArray<Webhook>>
    /**
     * Returns when and why the service last disabled each webhook. The result omits webhooks that were never disabled.
     */
    readonly latestDisablings: (
      ids: ReadonlyArray<WebhookId>
    ) => Effect.Effect<ReadonlyMap<WebhookId, WebhookDisablingDetails>>
    /**
     * Locks the webhook, calls `decide`, and writes the change in one transaction. Concurrent calls of `modify` for one
     * webhook run one after the other. If `decide` returns the same object, nothing is written. Returns none when the
     * owner has no webhook with this id. A null owner means an operator, who can access all webhooks.
     */
    readonly modify: (
      owner: Owner | null,
      id: WebhookId,
      decide: (present: Webhook) => WebhookStoreChange
    ) => Effect.Effect<Option.Option<Webhook>>
    /**
     * Deletes the webhook and its secret, and stops its deliveries. `clear` deletes the rows of the deliveries later.
     * Returns false when the owner has no webhook with this id.
     */
    readonly remove: (owner: Owner, id: WebhookId, audit: Recorded) => Effect.Effect<boolean>
    /** Deletes up to `limit` rows of removed webhooks. Returns the number of deleted rows; 0 when no rows are left. */
    readonly clear: (limit: number) => Effect.Effect<number>
    /**
     * Reads the current and the former secret in one query. Two queries could return the same secret twice if a
     * rotation runs between the queries.
     */
    readonly secrets: (id: WebhookId) => Effect.Effect<Option.Option<EncryptedWebhookSecrets>>
    /**
     * Replaces the secret. Until `formerUntil`, events are also signed with the former secret. If `formerUntil` is
     * null, the former secret is no longer used. Returns none if the owner has no webhook with this id.
     */
    readonly rotateSecret: (
      owner: Owner,
      id: WebhookId,
      rotation: { readonly encrypted: string; readonly at: Instant; readonly formerUntil: Instant | null },
      audit: Recorded
    ) => Effect.Effect<Option.Option<Webhook>>
    /**
     * Returns the encrypted current and former secrets of up to `limit` webhooks of all owners, in the order of webhook
     * ids. The page of webhooks starts after the id `behind`.
     */
    readonly encryptedSecrets: (
      behind: WebhookId | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly id: WebhookId; readonly encryptedSecret: string }>>
    /**
     * Replaces a current or former secret if the stored secret still equals `from`. If the stored secret differs from
     * `from`, nothing changes.
     */
    readonly replaceSecret: (
      id: WebhookId,
      encrypted: { readonly from: string; readonly to: string }
    ) => Effect.Effect<void>
  }
>()("@partner-commentary/core/webhook/WebhookStore") {}
