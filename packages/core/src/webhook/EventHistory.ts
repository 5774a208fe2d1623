/** Partners list the events of the last 30 days, page by page, backward or forward. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { EventId, parse } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { firstIdAt, publicId } from "./Event.ts"
import { type EventList, EventLog, type PastEvent } from "./EventLog.ts"

/** The list contains events up to this age. */
const retention = Duration.days(30)

/** The target size of a page's payloads in bytes, unless the caller requests a smaller size. */
const pageBytes = 1024 * 1024

/** The maximum number of payload bytes that one query reads, so that the query does not delay other requests. */
const stepBytes = 128 * 1024

/** Returns the time of the oldest events that the list contains. */
export const earliestListed = (now: Instant.Instant): Instant.Instant => Math.max(0, now - Duration.toMillis(retention))

export interface EventHistoryPage {
  /** The events of the page. A page with large payloads contains fewer events than the limit. */
  readonly events: ReadonlyArray<PastEvent>
  /** True if the list continues after this page. */
  readonly more: boolean
  /**
   * The cursor of the next page; none on the last page. A forward list has no last page, because new events may follow.
   */
  readonly next: Option.Option<EventId>
}

export class EventHistory extends Context.Service<
  EventHistory,
  {
    readonly page: (
      asked: Omit<EventList, "since" | "maxBytes"> & {
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
          const earliest = earliestListed(yield* Instant.now)
          const since = Math.max(earliest, asked.since ?? earliest)
          const found: Array<PastEvent> = []
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
            const reached = asked.forward ? (behind ?? firstIdAt(since)) : more ? behind : null
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

/** Formats the cursor of a page, which is the id of the page's last event. */
export const formatCursor = publicId

export const parseCursor = (text: string): Option.Option<EventId> =>
  text.startsWith("evt_") ? parse(EventId, text.slice(4)) : Option.none()
