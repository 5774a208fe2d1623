/**
 * The port that stores webhooks. The caller encrypts the secrets. The audit entry and notice of a change are stored
 * with it.
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

/** A created or changed webhook, with the audit entry and the mail that the store writes in the same transaction. */
export interface WebhookChange {
  readonly webhook: Webhook
  readonly audit: Recorded
  readonly notice: ContactNotice | null
}

/** The time and reason of a disabling by the service, from the audit log. */
export interface DisabledEntry {
  readonly at: Instant
  /** The reason of the last failure. */
  readonly reason: string
}

/** The owner has reached the maximum number of webhooks. */
export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  limit: Schema.Int
}) {}

export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    /** `insert` fails when the owner already has `limit` webhooks, even under concurrency. */
    readonly insert: (
      change: WebhookChange,
      encryptedSecret: string,
      limit: number
    ) => Effect.Effect<void, TooManyWebhooks>
    readonly find: (owner: Owner, id: WebhookId) => Effect.Effect<Option.Option<Webhook>>
    /** Lists webhooks newest first, and then by descending id. */
    readonly list: (owner: Owner) => Effect.Effect<ReadonlyArray<Webhook>>
    /**
     * Lists all webhooks or one organization's webhooks for operators, by organization, live webhooks first, each group
     * newest first.
     */
    readonly listAll: (of: {
      readonly organizationId: OrganizationId | null
      readonly disabled: boolean
    }) => Effect.Effect<ReadonlyArray<Webhook>>
    /** Returns the latest disabling of each webhook, and omits webhooks that were never disabled. */
    readonly latestDisablings: (ids: ReadonlyArray<WebhookId>) => Effect.Effect<ReadonlyMap<WebhookId, DisabledEntry>>
    /**
     * Locks the webhook, calls the pure decision, and writes its change in one transaction. Concurrent calls run one
     * after the other. If the decision returns the same object, nothing is written. Returns none when the owner has no
     * such webhook. A null owner stands for an operator, who can access all webhooks.
     */
    readonly modify: (
      owner: Owner | null,
      id: WebhookId,
      decide: (present: Webhook) => WebhookChange
    ) => Effect.Effect<Option.Option<Webhook>>
    /**
     * Deletes the webhook with its secret, and stops its deliveries. `clear` deletes the rows of the deliveries later.
     * Returns false when the owner has no such webhook.
     */
    readonly remove: (owner: Owner, id: WebhookId, audit: Recorded) => Effect.Effect<boolean>
    /** Deletes up to `limit` rows of removed webhooks and returns their number; 0 when none are left. */
    readonly clear: (limit: number) => Effect.Effect<number>
    /** Reads both secrets in one query, so that a concurrent rotation cannot return the same secret twice. */
    readonly secrets: (id: WebhookId) => Effect.Effect<Option.Option<WebhookSecrets>>
    /**
     * Replaces the secret. Until `formerUntil`, events are also signed with the former secret; if null, the former
     * secret ends at once. Returns none if the owner has no such webhook.
     */
    readonly rotateSecret: (
      owner: Owner,
      id: WebhookId,
      rotation: { readonly encrypted: string; readonly at: Instant; readonly formerUntil: Instant | null },
      audit: Recorded
    ) => Effect.Effect<Option.Option<Webhook>>
    /**
     * Returns encrypted secrets of all owners in the order of the webhook ids, of up to `limit` webhooks after this id,
     * including former secrets.
     */
    readonly encryptedSecrets: (
      behind: WebhookId | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly id: WebhookId; readonly encryptedSecret: string }>>
    /**
     * Replaces a current or former secret. Nothing changes if the stored secret has changed or the webhook was removed.
     */
    readonly replaceSecret: (
      id: WebhookId,
      encrypted: { readonly from: string; readonly to: string }
    ) => Effect.Effect<void>
  }
>()("@partner-commentary/core/webhook/WebhookStore") {}
