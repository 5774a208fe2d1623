/** The port that lists an owner's events with their original payloads, so that partners can fetch missed events. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EventId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { EventType } from "./EventType.ts"

export interface EventList {
  readonly owner: Owner
  /** A null type selects all events. */
  readonly type: EventType | null
  /** Only events of this time or later are listed. */
  readonly since: Instant
  /**
   * If true, events are listed in the order of their commits, oldest first. Otherwise they are listed by id, newest
   * first.
   */
  readonly forward: boolean
  /** The last event of the previous page; null on the first page. */
  readonly behind: EventId | null
  readonly limit: number
  /** The maximum size of the payloads that the query reads. The first payload is always read, whatever its size. */
  readonly maxBytes: number
}

export interface PastEvent {
  readonly id: EventId
  readonly type: EventType
  /** The payload exactly as webhooks receive it. */
  readonly payload: string
  readonly bytes: number
}

export interface EventPage {
  readonly events: ReadonlyArray<PastEvent>
  /** True if more events follow the page. */
  readonly more: boolean
}

export class EventLog extends Context.Service<
  EventLog,
  {
    /**
     * A page ends at its limit, or before the payload that would exceed `maxBytes`. If `after` is unknown or not an
     * event of the owner, a forward list starts at the time in its id.
     */
    readonly page: (list: EventList) => Effect.Effect<EventPage>
  }
>()("@partner-commentary/core/webhook/EventLog") {}
