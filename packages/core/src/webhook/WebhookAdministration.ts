/**
 * Operators list webhooks and enable disabled webhooks through this service. WebhookAdministration makes no network
 * calls.
 */
import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { OrganizationId, WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { DeliveryLog, type PendingDeliverySummary } from "./DeliveryLog.ts"
import { applyPatch, listChangedFields, type Webhook } from "./Webhook.ts"
import { WebhookNotFound } from "./WebhookNotFound.ts"
import { type WebhookDisablingDetails, WebhookStore } from "./WebhookStore.ts"

export interface ListedWebhook {
  readonly webhook: Webhook
  /** The webhook's pending deliveries; null when the webhook has no pending delivery. */
  readonly waiting: PendingDeliverySummary | null
  /** The time and reason of the disabling; null unless the webhook is disabled. */
  readonly disabling: WebhookDisablingDetails | null
}

/** The number of webhooks that one query reads. */
const batchSize = 500

export class WebhookAdministration extends Context.Service<
  WebhookAdministration,
  {
    /**
     * Lists webhooks by organization. Each organization's live webhooks come before its test webhooks, newest first.
     * Filters limit the list to one organization or to disabled webhooks.
     */
    readonly list: (of: {
      readonly organizationId: OrganizationId | null
      readonly disabled: boolean
    }) => Effect.Effect<ReadonlyArray<ListedWebhook>>
    /**
     * Activates a disabled or paused webhook and resets the failure count. `enable` does not change an active webhook.
     */
    readonly enable: (id: WebhookId) => Effect.Effect<Webhook, WebhookNotFound>
  }
>()("@partner-commentary/core/webhook/WebhookAdministration") {
  static readonly layer = Layer.effect(
    WebhookAdministration,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const log = yield* DeliveryLog
      const signal = yield* WorkSignal

      return WebhookAdministration.of({
        list: Effect.fn("WebhookAdministration.list")(function* (of) {
          const webhooks = yield* store.listAll(of)
          const lists = yield* Effect.forEach(
            Arr.chunksOf(webhooks, batchSize),
            Effect.fnUntraced(function* (some) {
              const waiting = yield* log.waiting(some.map(({ id }) => id))
              const disabled = some.filter(({ status }) => status === "disabled")
              const disablings = yield* store.latestDisablings(disabled.map(({ id }) => id))
              return some.map((webhook) => ({
                webhook,
                waiting: waiting.get(webhook.id) ?? null,
                disabling: disablings.get(webhook.id) ?? null
              }))
            })
          )
          return lists.flat()
        }),

        enable: Effect.fn("WebhookAdministration.enable")(function* (id) {
          const now = yield* Instant.now
          const after = yield* store.modify(null, id, (before) => {
            const webhook = applyPatch(before, { status: "active" }, now)
            const details = { by: "operator", changed: listChangedFields(before, webhook) }
            return { webhook, audit: { action: "webhook.enabled", details }, notice: null }
          })
          if (Option.isNone(after)) return yield* new WebhookNotFound()
          yield* signal.notify
          return after.value
        })
      })
    })
  )
}
