/**
 * Counts each delivery attempt when the attempt is recorded. `WorkMetrics.ts` counts the waiting deliveries in the
 * database.
 */
import type * as Instant from "@partner-commentary/core/shared/Instant"
import type { DeliveryAttempt } from "@partner-commentary/core/webhook/Attempt"
import { type ClaimedDelivery, DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { extractEventTime } from "@partner-commentary/core/webhook/Event"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"

const attempts = Metric.counter("partner_commentary_delivery_attempts_total", {
  description: "Attempts to deliver an event, by outcome (success, or the kind of failure) and kind",
  incremental: true
})
const attemptDuration = Metric.histogram("partner_commentary_delivery_attempt_duration_seconds", {
  description: "Duration of successful and of failed attempts",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30]
})
const latency = Metric.histogram("partner_commentary_delivery_latency_seconds", {
  description: "From the event to the receiver's 2xx, without manual attempts",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600, 21_600, 86_400, 259_200]
})

const count = ({ eventId, kind }: ClaimedDelivery, { duration, failure }: DeliveryAttempt, at: Instant.Instant) => {
  const outcome = failure === null ? "success" : "failure"
  const counted = Effect.andThen(
    Metric.update(Metric.withAttributes(attempts, { outcome: failure ?? outcome, kind }), 1),
    Metric.update(Metric.withAttributes(attemptDuration, { outcome }), duration / 1000)
  )
  // The latency metric excludes manual redeliveries, because the service may have delivered the same event long ago.
  return failure === null && kind !== "manual"
    ? Effect.andThen(counted, Metric.update(latency, Math.max(0, at - extractEventTime(eventId)) / 1000))
    : counted
}

/** Wraps the delivery store, and updates the metrics whenever the store records an attempt. */
export const layer = Layer.effect(
  DeliveryStore,
  Effect.map(DeliveryStore, (store) =>
    DeliveryStore.of({
      ...store,
      settle: (claimed, attempt, at, decide, following) =>
        Effect.tap(store.settle(claimed, attempt, at, decide, following), () => count(claimed, attempt, at))
    })
  )
)
