/**
 * Queues a webhook's failed deliveries again, by a stored job that continues after a restart. DeliveryWorker sends the
 * queued deliveries.
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Principal } from "../access/ApiKeys.ts"
import { toOwner } from "../access/Ownership.ts"
import type { WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import { holdsDeliveries, updateAfterRecoveryStart } from "./CircuitBreaker.ts"
import { DeliveryLog } from "./DeliveryLog.ts"
import { calculateEarliestListedEventTime } from "./EventHistory.ts"
import { type EventPeriod, RedeliveryStore } from "./RedeliveryStore.ts"
import { WebhookNotFound } from "./WebhookNotFound.ts"

/**
 * `too_early` means that the period starts before the earliest event that lists may contain. `backwards` means that the
 * period ends before its start.
 */
export class InvalidRecoveryPeriod extends Schema.TaggedError<InvalidRecoveryPeriod>()("InvalidRecoveryPeriod", {
  reason: Schema.Literals(["too_early", "backwards"])
}) {}

/** The number of deliveries that a recovery would send again. */
export interface WebhookRecoveryPreview extends EventPeriod {
  readonly webhookId: WebhookId
  readonly failed: number
  readonly held: number
}

export class WebhookRecovery extends Context.Service<
  WebhookRecovery,
  {
    /**
     * Counts the deliveries that a recovery would send again, and changes nothing. If `until` is null, the period ends
     * now.
     */
    readonly preview: (
      principal: Principal,
      webhookId: WebhookId,
      asked: { readonly since: Instant.Instant; readonly until: Instant.Instant | null }
    ) => Effect.Effect<WebhookRecoveryPreview, WebhookNotFound | InvalidRecoveryPeriod>
    /**
     * Stores a recovery job in one small transaction. Workers run the stored recovery job later. If there are no
     * deliveries to send again, no recovery job is stored.
     */
    readonly start: (principal: Principal, undelivered: WebhookRecoveryPreview) => Effect.Effect<void>
    /**
     * Runs one step of a recovery job. Returns the number of deliveries that the step queued, at most
     * `recoveryBatchSize`; none when no job is left.
     */
    readonly advance: Effect.Effect<Option.Option<number>>
  }
>()("@partner-commentary/core/webhook/WebhookRecovery") {
  static readonly layer = Layer.effect(
    WebhookRecovery,
    Effect.gen(function* () {
      const log = yield* DeliveryLog
      const store = yield* RedeliveryStore
      const random = yield* SecureRandom.SecureRandom
      const signal = yield* WorkSignal

      return WebhookRecovery.of({
        preview: Effect.fn("WebhookRecovery.preview")(function* (principal, webhookId, { since, until }) {
          const now = yield* Instant.now
          const period = { since, until: until ?? now + 1 }
          if (since >= period.until) return yield* new InvalidRecoveryPeriod({ reason: "backwards" })
          if (since < calculateEarliestListedEventTime(now))
            return yield* new InvalidRecoveryPeriod({ reason: "too_early" })
          const receiver = yield* log.receiver(toOwner(principal), webhookId)
          if (Option.isNone(receiver)) return yield* new WebhookNotFound()
          return {
            ...period,
            webhookId,
            failed: yield* store.count(webhookId, "failed", period),
            held: holdsDeliveries(receiver.value) ? yield* store.count(webhookId, "pending", period) : 0
          }
        }),

        start: Effect.fn("WebhookRecovery.start")(function* ({ key, organization }, undelivered) {
          const { failed, held, since, until, webhookId } = undelivered
          if (failed + held === 0) return
          const askedAt = yield* Instant.now
          yield* store.open(
            { id: yield* random.uuidV7(), webhookId, since, until, held: held > 0, askedAt },
            {
              action: "webhook.recovered",
              subject: webhookId,
              organizationId: organization.id,
              details: { by: key.id, since: Instant.toIso(since), until: Instant.toIso(until), failed, held }
            }
          )
          yield* signal.notify
        }),

        advance: Effect.gen(function* () {
          const now = yield* Instant.now
          const moved = yield* store.step(now, recoveryBatchSize, (receiver) => updateAfterRecoveryStart(receiver, now))
          if (Option.isSome(moved)) yield* signal.notify
          return moved
        })
      })
    })
  )
}

/** A recovery step handles at most this many deliveries, so that the step holds locks only briefly. */
export const recoveryBatchSize = 500
