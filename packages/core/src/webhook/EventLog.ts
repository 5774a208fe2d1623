/** The port that shows what happened: an owner's events as they were sent, so that a partner can make up for what it missed. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { EventId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../topic/TopicStore.ts"
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
}

export class EventLog extends Context.Service<
  EventLog,
  {
    /** Newest first, one query. Each with its payload's text, byte for byte as it is sent to webhooks. */
    readonly page: (list: EventList) => Effect.Effect<ReadonlyArray<{ readonly id: EventId; readonly payload: string }>>
  }
>()("@partner-commentary/core/webhook/EventLog") {}
