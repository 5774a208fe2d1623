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
export const kept = Duration.days(30)

/** Events of this moment and later ones. */
export const earliestShown = (now: Instant.Instant): Instant.Instant => Math.max(0, now - Duration.toMillis(kept))

export interface PastEventPage {
  /** The events' texts, newest first. */
  readonly payloads: ReadonlyArray<string>
  /** None on the last page. */
  readonly next: Option.Option<EventId>
}

export class PastEvents extends Context.Service<
  PastEvents,
  {
    readonly page: (
      asked: Omit<EventList, "since"> & { readonly since: Instant.Instant | null }
    ) => Effect.Effect<PastEventPage>
  }
>()("@partner-commentary/core/webhook/PastEvents") {
  static readonly layer = Layer.effect(
    PastEvents,
    Effect.map(EventLog, (log) =>
      PastEvents.of({
        page: Effect.fnUntraced(function* (asked) {
          const { limit } = asked
          const earliest = earliestShown(yield* Instant.now)
          const since = Math.max(earliest, asked.since ?? earliest)
          const found = yield* log.page({ ...asked, since, limit: limit + 1 })
          const shown = found.slice(0, limit)
          const last = shown.at(-1)
          return {
            payloads: shown.map(({ payload }) => payload),
            next: found.length > limit && last !== undefined ? Option.some(last.id) : Option.none()
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
