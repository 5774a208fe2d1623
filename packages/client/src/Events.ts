/**
 * Lists and follows past events. Use the list to fetch events that a webhook missed, or to poll instead of a webhook.
 */
import { formatQueryString } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import { type FollowEventsOptions, followEvents } from "./Following.ts"
import { type CursorPage, Listing } from "./Listing.ts"
import type { RequestOptions } from "./Options.ts"
import type { SubscribableEvent } from "./Webhook.ts"
import type { PastEvent } from "./WebhookEvent.ts"

/** The filter and page size of a list of events. */
export interface ListEventsOptions {
  readonly type?: SubscribableEvent | undefined
  /** The list contains only events at or after this time, which is ISO 8601 with a time zone. */
  readonly since?: string | undefined
  /** The page size, from 1 to 100, by default 20. */
  readonly limit?: number | undefined
  /**
   * With `asc`, the event that the service stored first comes first. The default `desc` lists the newest event first.
   */
  readonly order?: "asc" | "desc" | undefined
  /**
   * The id of the last event that you handled, or an earlier `next_cursor`. Implies `asc`. `after` cannot be combined
   * with `cursor`.
   */
  readonly after?: string | undefined
  /** `next_cursor` of an earlier page. */
  readonly cursor?: string | undefined
}

export class EventsClient {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Lists events of the last 30 days, newest first. Await the list for a page, or iterate over all items. With `after`,
   * the list contains all later events, oldest first. Scope `topics:read`.
   */
  list(events: ListEventsOptions = {}, options?: RequestOptions): Listing<PastEvent, CursorPage<PastEvent>> {
    const isForward = events.order === "asc" || events.after !== undefined
    return new Listing((cursor) => {
      const place = cursor === undefined ? {} : isForward ? { after: cursor, cursor: undefined } : { cursor }
      return this.#connection.send<CursorPage<PastEvent>>({
        method: "GET",
        path: `/events${formatQueryString({ ...events, ...place })}`,
        options
      })
    })
  }

  /**
   * Iterates over all events, each once, in the order in which the service stored the events, and then waits for new
   * events. If a proxy blocks the event stream, the client sends long-polling requests. After the first response, an
   * outage of the service does not end the iteration. The iteration ends with `break`, or rejects with the reason of
   * `signal`. Scope `topics:read`.
   *
   * ```ts for await (const event of client.events.follow({ after: last })) await store(event)
   * ```
   */
  follow(events: FollowEventsOptions = {}): AsyncGenerator<PastEvent, never, undefined> {
    return followEvents(this.#connection, events)
  }
}
