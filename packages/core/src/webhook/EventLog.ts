/** The port that lists an owner's events with their original payloads, so that partners can fetch missed events. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EventId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { EventType } from "./EventType.ts"

export interface EventList {
  readonly owner: Owner
  /** The type of the listed events; null selects all events. */
  readonly type: EventType | null
  /** The list contains only events that happened at this time or later. */
  readonly since: Instant
  /**
   * If true, the list has the order of the commits, oldest first. Otherwise the list has the order of the ids, newest
   * first.
   */
  readonly forward: boolean
  /** The last event of the previous page; null on the first page. */
  readonly behind: EventId | null
  readonly limit: number
  /**
   * The maximum size of the payloads that the query reads. The query always reads the first payload, whatever its size.
   */
  readonly maxBytes: number
}

export interface PastEvent {
  readonly id: EventId
  readonly type: EventType
  /** The payload, byte for byte as webhooks receive the event. */
  readonly payload: string
  readonly bytes: number
}

export interface EventPage {
  readonly events: ReadonlyArray<PastEvent>
  /** True if the list continues after this page. */
  readonly more: boolean
}

export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * Returns a page, which ends at its limit or before the payload that would exceed `maxBytes`. If the owner has no
     * event with the id `after`, a forward list starts at the time in that id.
     */
    readonly page: (list: EventList) => Effect.Effect<EventPage>
  }
>()("@partner-commentary/core/webhook/EventLog") {}
