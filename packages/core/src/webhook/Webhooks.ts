/**
 * Partners register, view, change and remove webhooks through this service. Operators manage webhooks through
 * WebhookAdministration.
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import type { Principal } from "../access/ApiKeys.ts"
import { toOwner } from "../access/Ownership.ts"
import type { WebhookNoticeKind } from "../mail/WebhookNotices.ts"
import { Encryption } from "../shared/Encryption.ts"
import * as Ids from "../shared/Ids.ts"
import { WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { DeliveryLog } from "./DeliveryLog.ts"
import type { EventType } from "./EventType.ts"
import { applyPatch, listChangedFields, maxWebhooksPerOwner, type Webhook, type WebhookPatch } from "./Webhook.ts"
import {
  deriveWebhookCondition,
  maxCountedHeldDeliveries,
  newWebhookCondition,
  type WebhookWithCondition
} from "./WebhookCondition.ts"
import { WebhookNotFound } from "./WebhookNotFound.ts"
import { recoveryBatchSize } from "./WebhookRecovery.ts"
import { generateWebhookSecret, makeSecretEncryptionPurpose } from "./WebhookSecret.ts"
import { type TooManyWebhooks, WebhookStore, type WebhookStoreChange } from "./WebhookStore.ts"
import { WebhookTransport, type WebhookUrlRefused } from "./WebhookTransport.ts"
import { extractHost } from "./WebhookUrl.ts"

export interface NewWebhook {
  readonly url: string
  /** The subscribed event types. The list has at least one event type and no repetitions. */
  readonly events: ReadonlyArray<EventType>
  /** The signing secret; if null, the service generates a secret. */
  readonly secret: Redacted.Redacted<string> | null
}

/**
 * The organization whose webhooks change, and the API key that requests the change. The API key is null if the operator
 * requests the change.
 */
export interface WebhookChangeRequester extends Pick<Principal, "organization" | "environment"> {
  readonly key: Pick<Principal["key"], "id" | "prefix"> | null
}

/** A validated registration and the webhook's signing secret. */
export interface PreparedWebhookRegistration {
  readonly requester: WebhookChangeRequester
  readonly webhook: Webhook
  readonly secret: Redacted.Redacted<string>
}

export interface WebhookSecretRotationResult {
  readonly webhook: WebhookWithCondition
  readonly secret: Redacted.Redacted<string>
  readonly formerUntil: Instant.Instant | null
}

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /**
     * Checks with a DNS look-up whether the URL is allowed. The URL check runs before the transaction, because a
     * transaction must not wait for the network.
     */
    readonly prepare: (
      requester: WebhookChangeRequester,
      wanted: NewWebhook
    ) => Effect.Effect<PreparedWebhookRegistration, WebhookUrlRefused>
    /**
     * Stores the webhook in one transaction and queues a mail to the organization's contact. Only the result of
     * `register` contains the secret.
     */
    readonly register: (
      registration: PreparedWebhookRegistration
    ) => Effect.Effect<
      Pick<PreparedWebhookRegistration, "secret"> & { readonly webhook: WebhookWithCondition },
      TooManyWebhooks
    >
    readonly find: (owner: Owner, id: WebhookId) => Effect.Effect<WebhookWithCondition, WebhookNotFound>
    /** Lists all webhooks of the owner, newest first. */
    readonly list: (owner: Owner) => Effect.Effect<ReadonlyArray<WebhookWithCondition>>
    /** Changes a webhook. A patch that changes no value writes nothing. A new URL causes a mail to the contact. */
    readonly change: (
      requester: WebhookChangeRequester,
      id: WebhookId,
      patch: WebhookPatch
    ) => Effect.Effect<WebhookWithCondition, WebhookNotFound | WebhookUrlRefused>
    /**
     * Replaces the secret. Until the grace period ends, events are also signed with the former secret. Only the result
     * of `rotateSecret` contains the new secret.
     */
    readonly rotateSecret: (
      requester: WebhookChangeRequester,
      id: WebhookId,
      rotation: { readonly secret: Redacted.Redacted<string> | null; readonly grace: Duration.Duration }
    ) => Effect.Effect<WebhookSecretRotationResult, WebhookNotFound>
    readonly remove: (requester: WebhookChangeRequester, id: WebhookId) => Effect.Effect<void, WebhookNotFound>
    /** Deletes one batch of rows of removed webhooks. Returns the number of deleted rows; 0 when no rows are left. */
    readonly clear: Effect.Effect<number>
  }
>()("@partner-commentary/core/webhook/Webhooks") {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const log = yield* DeliveryLog
      const transport = yield* WebhookTransport
      const encryption = yield* Encryption
      const random = yield* SecureRandom.SecureRandom
      const signal = yield* WorkSignal

      const find = Effect.fnUntraced(function* (owner: Owner, id: WebhookId) {
        const found = yield* store.find(owner, id)
        return Option.isNone(found) ? yield* new WebhookNotFound() : found.value
      })

      /**
       * Adds the current condition of its receiver to each webhook. A webhook that another request has just removed
       * gets the condition of a new webhook.
       */
      const report = Effect.fnUntraced(function* (webhooks: ReadonlyArray<Webhook>) {
        const found = yield* log.receivers(
          webhooks.map(({ id }) => id),
          maxCountedHeldDeliveries
        )
        const disabled = webhooks.filter(({ status }) => status === "disabled").map(({ id }) => id)
        const disablings = yield* store.latestDisablings(disabled)
        const conditions = new Map(
          found.map(({ pending, receiver }) => {
            const { id } = receiver.webhook
            return [id, deriveWebhookCondition(receiver, pending, disablings.get(id) ?? null)]
          })
        )
        return webhooks.map((webhook) => ({
          ...webhook,
          condition: conditions.get(webhook.id) ?? newWebhookCondition
        }))
      })

      const reportOne = (webhook: Webhook) =>
        Effect.map(report([webhook]), ([one]) => one ?? { ...webhook, condition: newWebhookCondition })

      return Webhooks.of({
        prepare: Effect.fn("Webhooks.prepare")(function* (requester, { events, secret: given, url }) {
          yield* transport.check(url)
          const now = yield* Instant.now
          const webhook: Webhook = {
            id: yield* Ids.make(WebhookId, random),
            owner: toOwner(requester),
            url,
            events,
            status: "active",
            consecutiveFailures: 0,
            lastDeliveryAt: null,
            createdAt: now,
            updatedAt: now
          }
          return { requester, webhook, secret: given ?? (yield* generateWebhookSecret(random)) }
        }),

        register: Effect.fn("Webhooks.register")(function* ({ requester, secret, webhook }) {
          const encrypted = yield* encryption.encrypt(makeSecretEncryptionPurpose(webhook.id), Redacted.value(secret))
          const audit = makeAuditEntry(requester, "webhook.created", {
            host: extractHost(webhook.url),
            events: webhook.events
          })
          const notice = noticeAbout(requester, webhook, "webhook_added", null)
          yield* store.insert({ webhook, audit, notice }, encrypted, maxWebhooksPerOwner)
          yield* signal.notify
          return { webhook: { ...webhook, condition: newWebhookCondition }, secret }
        }),

        find: (owner, id) => Effect.flatMap(find(owner, id), reportOne),
        list: (owner) => Effect.flatMap(store.list(owner), report),

        change: Effect.fn("Webhooks.change")(function* (requester, id, patch) {
          const present = yield* find(toOwner(requester), id)
          // The URL check runs outside of the transaction, because a DNS look-up can be slow.
          if (patch.url !== undefined && patch.url !== present.url) yield* transport.check(patch.url)
          const now = yield* Instant.now
          const after = yield* store.modify(toOwner(requester), id, (before): WebhookStoreChange => {
            const webhook = applyPatch(before, patch, now)
            const isMoved = webhook.url !== before.url
            return {
              webhook,
              audit: makeAuditEntry(requester, "webhook.updated", {
                changed: listChangedFields(before, webhook),
                host: extractHost(webhook.url),
                events: webhook.events,
                status: webhook.status
              }),
              notice: isMoved ? noticeAbout(requester, webhook, "webhook_moved", extractHost(before.url)) : null
            }
          })
          if (Option.isNone(after)) return yield* new WebhookNotFound()
          yield* signal.notify
          return yield* reportOne(after.value)
        }),

        rotateSecret: Effect.fn("Webhooks.rotateSecret")(function* (requester, id, { grace, secret: given }) {
          const secret = given ?? (yield* generateWebhookSecret(random))
          const encrypted = yield* encryption.encrypt(makeSecretEncryptionPurpose(id), Redacted.value(secret))
          const at = yield* Instant.now
          const formerUntil = Duration.isZero(grace) ? null : Instant.plus(at, grace)
          const audit = makeAuditEntry(requester, "webhook.secret_rotated", {
            grace_period_seconds: Duration.toSeconds(grace)
          })
          const rotated = yield* store.rotateSecret(toOwner(requester), id, { encrypted, at, formerUntil }, audit)
          if (Option.isNone(rotated)) return yield* new WebhookNotFound()
          return { webhook: yield* reportOne(rotated.value), secret, formerUntil }
        }),

        remove: Effect.fn("Webhooks.remove")(function* (requester, id) {
          const removed = yield* store.remove(toOwner(requester), id, makeAuditEntry(requester, "webhook.deleted", {}))
          if (!removed) return yield* new WebhookNotFound()
          yield* signal.tell(["removals"])
        }),

        clear: store.clear(recoveryBatchSize)
      })
    })
  )
}

/** Returns an audit entry that names the API key or operator that made the change. */
const makeAuditEntry = (
  { key }: WebhookChangeRequester,
  action: string,
  details: Schema.JsonObject
): WebhookStoreChange["audit"] => ({
  action,
  details: { by: key?.id ?? "operator", ...details }
})

/**
 * Returns a notice to the contact, or null. Changes in the test environment and changes by the operator cause no mail.
 */
const noticeAbout = (
  { key }: WebhookChangeRequester,
  { events, id, owner, updatedAt, url }: Webhook,
  kind: WebhookNoticeKind,
  formerHost: string | null
): WebhookStoreChange["notice"] =>
  owner.environment === "test" || key === null
    ? null
    : {
        kind,
        webhook: { id, host: extractHost(url), formerHost, events, keyPrefix: key.prefix },
        organizationId: owner.organizationId,
        at: updatedAt
      }
