/** What a webhook may subscribe to. Which change emits which event is the workflow's. */
import * as Schema from "effect/Schema"

export const EventType = Schema.Literals(["creator.approved", "partner.approved", "commentary.failed"])
export type EventType = typeof EventType.Type
