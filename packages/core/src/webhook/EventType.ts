/** The event types to which a webhook can subscribe. Event.ts maps changes to these types. */
import * as Schema from "effect/Schema"

export const EventType = Schema.Literals(["creator.approved", "partner.approved", "commentary.failed"])
export type EventType = typeof EventType.Type
