/**
 * Reads gauges from the database: due and failed work by kind and age, and the state of webhook receivers. Each count
 * has a maximum, so that a long backlog does not slow the query down. If the database does not answer, the process
 * removes the gauges that come from the database.
 */

import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { DatabaseHealth } from "@partner-commentary/core/operations/DatabaseHealth"
import { WorkBacklog } from "@partner-commentary/core/operations/WorkBacklog"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { RedeliveryStore } from "@partner-commentary/core/webhook/RedeliveryStore"
import * as Timeout from "@partner-commentary/server/workers/Timeout"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"

/** The maximum value of each gauge that counts rows, at which the database query stops counting. */
const limit = 10_000

/** Due work counts as overdue after this many milliseconds. */
const overdueAfter = 5 * 60 * 1000

/** The timeout for all database queries of one gauge update together. */
const timeout = "1 second"

const gauge = (name: string, description: string) => Metric.gauge(`partner_commentary_${name}`, { description })

const up = gauge(
  "database_up",
  "1: the database takes a write and gave what is read from it, each within a second; 0: it did not"
)

const due = gauge("work_due", `Work that a worker could take now, by kind, ${limit} at most`)
const overdue = gauge("work_overdue", `Work that has been due for more than 5 minutes, by kind, ${limit} at most`)
const age = gauge("work_overdue_seconds", "How long the oldest due work has been waiting, by kind")
const circuits = gauge("webhook_circuits", `Webhooks whose circuit breaker is open or half open, ${limit} at most`)

const gauges = {
  mailsWaiting: gauge("mails_waiting", `Mails that were not handed over yet, due or not, ${limit} at most`),
  mailsFailed: gauge("mails_failed", "Mails that finally failed, at most 1000"),
  mailsAge: gauge("mails_overdue_seconds", "How long the oldest due mail has been waiting"),
  stalled: gauge("generations_stalled", `Drafts that finally failed and can be restarted, at most ${limit}`),
  mediaFailed: gauge("media_failed", "Audio and video that finally failed, at most 1000"),
  mediaAge: gauge("media_overdue_seconds", "How long the oldest due audio or video has been waiting"),
  deliveriesDue: gauge("deliveries_due", `Deliveries that could go out now, ${limit} at most`),
  deliveriesAge: gauge(
    "deliveries_overdue_seconds",
    "How long the oldest due delivery to an active webhook has been waiting"
  ),
  deliveriesHeld: gauge(
    "deliveries_held",
    `Deliveries of webhooks that are paused, disabled or left alone, ${limit} at most`
  ),
  open: gauge("webhook_breakers_open", `Webhooks that are left alone but for probes, ${limit} at most`),
  disabled: gauge("webhooks_disabled", `Disabled webhooks, ${limit} at most`)
}

const byKind = (metric: typeof due, values: Readonly<Record<string, number>>) =>
  Object.entries(values).map(([kind, value]) => [Metric.withAttributes(metric, { kind }), value] as const)

const reading = Effect.gen(function* () {
  const assignments = yield* AssignmentStore
  const backlog = yield* WorkBacklog
  const deliveries = yield* DeliveryStore
  const mails = yield* MailStore
  const mediaJobs = yield* MediaJobStore
  const redeliveries = yield* RedeliveryStore

  return Effect.gen(function* () {
    const now = yield* Instant.now
    const ageOf = (next: Effect.Effect<Option.Option<Instant.Instant>>) =>
      Effect.map(next, Option.match({ onNone: () => 0, onSome: (at) => Math.max(0, now - at) / 1000 }))
    const sent = yield* deliveries.backlog(now, limit)
    const sentLate = yield* deliveries.backlog(now - overdueAfter, limit)
    const waiting = yield* backlog.waiting(now, limit)
    const ages = {
      assignments: yield* ageOf(assignments.nextDue(["live"])),
      tests: yield* ageOf(assignments.nextDue(["test"])),
      mails: yield* ageOf(mails.nextDue),
      deliveries: yield* ageOf(deliveries.nextDue),
      media: yield* ageOf(mediaJobs.nextDue(MediaKind.literals)),
      recoveries: yield* ageOf(redeliveries.nextDue)
    }
    return [
      ...byKind(due, { ...(yield* backlog.due(now, limit)), deliveries: sent.due }),
      ...byKind(overdue, { ...(yield* backlog.due(now - overdueAfter, limit)), deliveries: sentLate.due }),
      ...byKind(age, ages),
      [Metric.withAttributes(circuits, { state: "open" }), waiting.openCircuits],
      [Metric.withAttributes(circuits, { state: "half_open" }), waiting.halfOpenCircuits],
      [gauges.mailsWaiting, waiting.mails],
      [gauges.mailsFailed, (yield* mails.failed(1000)).length],
      [gauges.mailsAge, ages.mails],
      [gauges.stalled, waiting.stalledDrafts],
      [gauges.mediaFailed, (yield* mediaJobs.failed(1000)).length],
      [gauges.mediaAge, ages.media],
      [gauges.deliveriesDue, sent.due],
      [gauges.deliveriesAge, ages.deliveries],
      [gauges.deliveriesHeld, sent.held],
      [gauges.open, sent.open],
      [gauges.disabled, sent.disabled]
    ] as const
  })
})

/** Makes the effect that reads the database and updates the gauges. */
export const makeWorkGaugeRefresh = Effect.gen(function* () {
  const readings = yield* reading
  const { check } = yield* DatabaseHealth
  const takesWrites = Effect.map(Effect.exit(Effect.timeout(check, timeout)), Exit.isSuccess)
  let known: Effect.Success<typeof readings> | undefined
  let isSilent = false

  const removeGauges = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
    for (const [metric] of known ?? []) yield* Metric.remove(metric)
    if (isSilent) return
    isSilent = true
    yield* Effect.logWarning("The database does not respond: metrics omit its values", cause)
  })

  const read = Effect.matchCauseEffect(Timeout.withTimeout(timeout, readings), {
    onFailure: (cause) => Effect.as(removeGauges(cause), false),
    onSuccess: Effect.fnUntraced(function* (values) {
      for (const [metric, value] of values) yield* Metric.update(metric, value)
      known = values
      isSilent = false
      return true
    })
  })
  return Effect.flatMap(Effect.all([read, takesWrites], { concurrency: 2 }), (both) =>
    Metric.update(up, both.every(Boolean) ? 1 : 0)
  )
})
