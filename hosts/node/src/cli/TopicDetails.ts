/** Collects a topic's details for an operator: each assignment's state, mails, attempts, deliveries and next step. */
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import type { EventId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import { addDeliveryStatus } from "@partner-commentary/core/webhook/Delivery"
import { DeliveryLog } from "@partner-commentary/core/webhook/DeliveryLog"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import { extractHost } from "@partner-commentary/core/webhook/WebhookUrl"
import * as Inspection from "@partner-commentary/sql/topics/TopicInspection"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** The number of concurrent queries, small enough that database connections remain for the service. */
const concurrency = 4

const minute = Duration.minutes(1)

/** Finds a topic by its id, a share id or an event's id. */
export const findTopicDetails = Effect.fnUntraced(function* (id: string) {
  const found = Option.getOrNull(yield* Inspection.findTopic(id))
  if (found === null) return Option.none()
  const { topic } = found
  const organization = Option.getOrNull(yield* (yield* OrganizationStore).find(topic.organizationId))
  const deliveriesOf = yield* deliveries(topic)
  const assignments = yield* Effect.forEach(
    found.assignments,
    Effect.fnUntraced(function* (assignment: Assignment) {
      const traces = yield* Inspection.readAssignmentRecords(assignment)
      const events = yield* Effect.forEach(traces.events, (event) =>
        Effect.map(deliveriesOf(event), (sent) => ({ ...event, deliveries: sent }))
      )
      return { ...traces, assignment, events }
    }),
    { concurrency }
  )
  return Option.some({ topic, organization, assignments })
})

export type TopicDetails = Option.Option.Value<Effect.Success<ReturnType<typeof findTopicDetails>>>

export interface WebhookDelivery {
  readonly host: string
  readonly delivery: ReturnType<typeof addDeliveryStatus>
}

/**
 * Returns the deliveries to the webhooks that the owner has at present. When a webhook is removed, its deliveries are
 * deleted.
 */
const deliveries = Effect.fnUntraced(function* (owner: Owner) {
  const log = yield* DeliveryLog
  const webhooks = yield* (yield* WebhookStore).list(owner)
  const now = yield* Instant.now
  return ({ at, id: eventId }: { readonly at: Instant.Instant; readonly id: EventId }) =>
    Effect.forEach(
      webhooks,
      Effect.fnUntraced(function* ({ id, url }) {
        const receiver = Option.getOrNull(yield* log.receiver(owner, id))
        const since = at - Duration.toMillis(minute)
        const found = Option.getOrNull(yield* log.find(id, eventId, since, 1, now))
        if (receiver === null || found === null) return []
        return [{ host: extractHost(url), delivery: addDeliveryStatus(found, receiver) }]
      })
    ).pipe(Effect.map((all): ReadonlyArray<WebhookDelivery> => all.flat()))
})
