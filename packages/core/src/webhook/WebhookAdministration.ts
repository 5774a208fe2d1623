/** What operators do with webhooks: see a partner's, and bring back one that was disabled. Needs no way out of the process. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Environment } from "../access/ApiKey.ts"
import type { OrganizationId, WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { DeliveryLog, type Waiting } from "./DeliveryLog.ts"
import { changed, differences, type Webhook } from "./Webhook.ts"
import { WebhookNotFound } from "./WebhookNotFound.ts"
import { WebhookStore } from "./WebhookStore.ts"

export class WebhookAdministration extends Context.Service<
  WebhookAdministration,
  {
    /** Of every environment: live ones first, each newest first. With what waits for it; null where nothing does. */
    readonly list: (
      organizationId: OrganizationId
    ) => Effect.Effect<ReadonlyArray<{ readonly webhook: Webhook; readonly waiting: Waiting | null }>>
    /** Active, as the partner itself could make it, without failures. One that is stays as it is. */
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
        list: Effect.fn("WebhookAdministration.list")(function* (organizationId) {
          const lists = yield* Effect.forEach(Environment.literals, (environment) =>
            store.list({ organizationId, environment })
          )
          const webhooks = lists.flat()
          const waiting = yield* log.waiting(webhooks.map(({ id }) => id))
          return webhooks.map((webhook) => ({ webhook, waiting: waiting.get(webhook.id) ?? null }))
        }),

        enable: Effect.fn("WebhookAdministration.enable")(function* (id) {
          const now = yield* Instant.now
          const after = yield* store.modify(null, id, (before) => {
            const webhook = changed(before, { status: "active" }, now)
            const details = { by: "operator", changed: differences(before, webhook) }
            return { webhook, audit: { action: "webhook.enabled", details }, mail: null }
          })
          if (Option.isNone(after)) return yield* new WebhookNotFound()
          yield* signal.notify
          return after.value
        })
      })
    })
  )
}
