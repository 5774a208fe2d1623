/** Partners list the events of the last 30 days, page by page, backward or forward. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { EventId, parse } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { formatPublicEventId, makeLowestEventId } from "./Event.ts"
import { EventLog, type EventLogQuery, type StoredEvent } from "./EventLog.ts"

/** The maximum age of listed events. */
const retention = Duration.days(30)

/** The target size of all payloads on a page. A caller can request a smaller page size in bytes. */
const pageBytes = 1024 * 1024

/** The maximum number of bytes that one query reads. A query that reads more bytes would delay other requests. */
const stepBytes = 128 * 1024

/** Returns the time of the earliest event that lists may contain. */
export const calculateEarliestListedEventTime = (now: Instant.Instant): Instant.Instant =>
  Math.max(0, now - Duration.toMillis(retention))

export interface EventHistoryPage {
  /** The events of the page. A page with large payloads contains fewer events than the limit. */
  readonly events: ReadonlyArray<StoredEvent>
  /** True if the list has more events after this page. */
  readonly more: boolean
  /** The cursor of the next page; none on the last page. A list that is read forward has no last page. */
  readonly next: Option.Option<EventId>
}

export class EventHistory extends Context.Service<
  EventHistory,
  {
    readonly page: (
      asked: Omit<EventLogQuery, "since" | "maxBytes"> & {
        readonly since: Instant.Instant | null
        readonly maxBytes?: number
      }
    ) => Effect.Effect<EventHistoryPage>
  }
>()("@partner-commentary/core/webhook/EventHistory") {
  static readonly layer = Layer.effect(
    EventHistory,
    Effect.map(EventLog, (log) =>
      EventHistory.of({
        page: Effect.fnUntraced(function* (asked) {
          const earliest = calculateEarliestListedEventTime(yield* Instant.now)
          const since = Math.max(earliest, asked.since ?? earliest)
          const found: Array<StoredEvent> = []
          let { behind } = asked
          let room = asked.maxBytes ?? pageBytes
          for (;;) {
            const list = { ...asked, since, behind, limit: asked.limit - found.length }
            const { events, more } = yield* log.page({ ...list, maxBytes: Math.min(stepBytes, room) })
            for (const event of events) {
              found.push(event)
              room -= event.bytes
              behind = event.id
            }
            const reached = asked.forward ? (behind ?? makeLowestEventId(since)) : more ? behind : null
            if (!more || room <= 0 || found.length === asked.limit) {
              return { events: found, more, next: Option.fromNullOr(reached) }
            }
            yield* Effect.yieldNow
          }
        })
      })
    )
  )
}

/** The cursor of a page is the id of the page's last event. */
export const formatEventCursor = formatPublicEventId

export const parseEventCursor = (text: string): Option.Option<EventId> =>
  text.startsWith("evt_") ? parse(EventId, text.slice(4)) : Option.none()
