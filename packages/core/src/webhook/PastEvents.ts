/** What partners read of past events: the last 30 days, page by page. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { EventId, parse } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { publicId } from "./Event.ts"
import { type EventList, EventLog } from "./EventLog.ts"

/** So far back events are shown. */
const kept = Duration.days(30)

/** A page ends once its payloads come to that. */
const pageBytes = 1024 * 1024

/** So much is read in one step; then others have their turn. */
const stepBytes = 128 * 1024

/** Events of this moment and later ones. */
export const earliestShown = (now: Instant.Instant): Instant.Instant => Math.max(0, now - Duration.toMillis(kept))

export interface PastEventPage {
  /** The events' texts, newest first: fewer than asked for where they are large. */
  readonly payloads: ReadonlyArray<string>
  /** None on the last page. */
  readonly next: Option.Option<EventId>
}

export class PastEvents extends Context.Service<
  PastEvents,
  {
    readonly page: (
      asked: Omit<EventList, "since" | "maxBytes"> & { readonly since: Instant.Instant | null }
    ) => Effect.Effect<PastEventPage>
  }
>()("@partner-commentary/core/webhook/PastEvents") {
  static readonly layer = Layer.effect(
    PastEvents,
    Effect.map(EventLog, (log) =>
      PastEvents.of({
        page: Effect.fnUntraced(function* (asked) {
          const earliest = earliestShown(yield* Instant.now)
          const since = Math.max(earliest, asked.since ?? earliest)
          const payloads: Array<string> = []
          let { behind } = asked
          let room = pageBytes
          for (;;) {
            const list = { ...asked, since, behind, limit: asked.limit - payloads.length }
            const { events, more } = yield* log.page({ ...list, maxBytes: Math.min(stepBytes, room) })
            for (const { bytes, id, payload } of events) {
              payloads.push(payload)
              room -= bytes
              behind = id
            }
            if (!more) return { payloads, next: Option.none() }
            if (room <= 0 || payloads.length === asked.limit) return { payloads, next: Option.fromNullOr(behind) }
            yield* Effect.yieldNow
          }
        })
      })
    )
  )
}

/** A page's cursor is its last event's id. */
export const formatCursor = publicId

export const parseCursor = (text: string): Option.Option<EventId> =>
  text.startsWith("evt_") ? parse(EventId, text.slice(4)) : Option.none()
