/** Event types that a webhook can subscribe to. Event.ts maps changes to them. */
import * as Schema from "effect/Schema"

export const EventType = Schema.Literals(["creator.approved", "partner.approved", "commentary.failed"])
export type EventType = typeof EventType.Type
