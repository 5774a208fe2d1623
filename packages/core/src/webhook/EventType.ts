/** The event types to which a webhook can subscribe. Event.ts maps changes of assignments to event types. */
import * as Schema from "effect/Schema"

export const EventType = Schema.Literals([
  "creator.approved",
  "partner.approved",
  "commentary.failed",
  "media.ready",
  "topic.completed"
])
export type EventType = typeof EventType.Type

/**
 * An event type in the database. During a rolling upgrade, a newer version may store a type that this version does not
 * know. The webhook keeps its subscription to an unknown type, but responses omit the type.
 */
export const StoredEventType = Schema.Union([EventType, Schema.String.pipe(Schema.brand("UnknownEventType"))])
export type StoredEventType = typeof StoredEventType.Type

const isEventType = Schema.is(EventType)

export const isKnownEventType = (type: StoredEventType): type is EventType => isEventType(type)
