/** The port that keeps webhooks. Their secrets come sealed; the record and the notice that follow from a change are stored with it. */
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

type Recorded = Pick<AuditEntry, "action" | "details">

/** What follows from one step. Stored whole or not at all. */
export interface WebhookChange {
  readonly webhook: Webhook
  readonly audit: Recorded
  readonly notice: ContactNotice | null
}

/** That we disabled a webhook, as the record has it. */
export interface Disabling {
  readonly at: Instant
  /** What was wrong the last time. */
  readonly reason: string
}

/** The owner has as many as it may have. */
export class TooManyWebhooks extends Schema.TaggedError<TooManyWebhooks>()("TooManyWebhooks", {
  most: Schema.Int
}) {}

export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    /** Refused where the owner has `most` already: exact however many come at once. */
    readonly insert: (change: WebhookChange, sealedSecret: string, most: number) => Effect.Effect<void, TooManyWebhooks>
    readonly find: (owner: Owner, id: WebhookId) => Effect.Effect<Option.Option<Webhook>>
    /** Newest first, ties by id, descending. */
    readonly list: (owner: Owner) => Effect.Effect<ReadonlyArray<Webhook>>
    /** Everybody's, or one organization's: by organization, live ones first, each newest first. For operators. */
    readonly everybodys: (of: {
      readonly organizationId: OrganizationId | null
      readonly disabled: boolean
    }) => Effect.Effect<ReadonlyArray<Webhook>>
    /** The last time that each was disabled by us; those that never were are left out. */
    readonly disablings: (ids: ReadonlyArray<WebhookId>) => Effect.Effect<ReadonlyMap<WebhookId, Disabling>>
    /**
     * Locks the webhook, lets the pure decision see the present value, and stores what follows as one transaction. Two at
     * once are decided one after the other. The unchanged object writes nothing. None when the owner has no such webhook;
     * a null owner is an operator, to whom all of them are open.
     */
    readonly modify: (
      owner: Owner | null,
      id: WebhookId,
      decide: (present: Webhook) => WebhookChange
    ) => Effect.Effect<Option.Option<Webhook>>
    /** Its secret goes with it, and nothing is sent to it any more. What was kept of its deliveries stays for `clear`. False when the owner has no such webhook. */
    readonly remove: (owner: Owner, id: WebhookId, audit: Recorded) => Effect.Effect<boolean>
    /** Deletes of what removed webhooks left, so many rows at most; 0 when nothing is left. */
    readonly clear: (most: number) => Effect.Effect<number>
    /** As it was stored; for who delivers. */
    readonly sealedSecret: (id: WebhookId) => Effect.Effect<Option.Option<string>>
    /** Everybody's, in the order of the ids: those behind this one, so many at most. */
    readonly sealedSecrets: (
      behind: WebhookId | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<{ readonly id: WebhookId; readonly sealedSecret: string }>>
    /** Unless somebody else was faster, or the webhook is gone. */
    readonly reseal: (id: WebhookId, sealed: { readonly from: string; readonly to: string }) => Effect.Effect<void>
  }
>()("@partner-commentary/core/webhook/WebhookStore") {}
