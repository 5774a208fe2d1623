/** The port that lists an owner's events with their original payloads, so that partners can fetch missed events. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EventId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { EventType } from "./EventType.ts"

export interface EventLogQuery {
  readonly owner: Owner
  /** The event type to list; null lists events of every type. */
  readonly type: EventType | null
  /** The list contains only events at or after `since`. */
  readonly since: Instant
  /**
   * If `forward` is true, the list has events in the order of their commits, oldest first. If `forward` is false, the
   * list is sorted by event id, newest first.
   */
  readonly forward: boolean
  /** The id of the previous page's last event; null for the first page. */
  readonly behind: EventId | null
  readonly limit: number
  /**
   * The maximum size of the payloads that the query reads. The query always reads the first payload, even if that
   * payload exceeds the maximum.
   */
  readonly maxBytes: number
}

export interface StoredEvent {
  readonly id: EventId
  readonly type: EventType
  /** The payload, byte for byte as webhooks receive it. */
  readonly payload: string
  readonly bytes: number
}

export interface EventPage {
  readonly events: ReadonlyArray<StoredEvent>
  /** True if the list has more events after this page. */
  readonly more: boolean
}

export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * A page ends at its limit, or before the payload that would exceed `maxBytes`. If the owner has no event with the
     * id `behind`, a forward list starts at the time that the id contains.
     */
    readonly page: (list: EventLogQuery) => Effect.Effect<EventPage>
  }
>()("@partner-commentary/core/webhook/EventLog") {}
