/** The port that shows what happened: an owner's events as they were sent, so that a partner can make up for what it missed. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EventId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { EventType } from "./EventType.ts"

export interface EventList {
  readonly owner: Owner
  /** Null: all of them. */
  readonly type: EventType | null
  /** Events of this moment and later ones. */
  readonly since: Instant
  /** The last one of the page before; null for the first page. */
  readonly behind: EventId | null
  readonly limit: number
  /** No more payloads are read than that, but for the first one. */
  readonly maxBytes: number
}

export interface EventPage {
  /** Newest first. Each with its payload's text, byte for byte as it is sent to webhooks. */
  readonly events: ReadonlyArray<{ readonly id: EventId; readonly payload: string; readonly bytes: number }>
  /** Whether older ones follow. */
  readonly more: boolean
}

export class EventLog extends Context.Service<
  EventLog,
  {
    /** One query. A page ends at its limit, or before the payload that would be too much. */
    readonly page: (list: EventList) => Effect.Effect<EventPage>
  }
>()("@partner-commentary/core/webhook/EventLog") {}
