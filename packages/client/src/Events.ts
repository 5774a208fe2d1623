/** What happened, to be read at any time: for what a webhook missed, or instead of one. */
import { query } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import { type CursorPage, Listing } from "./Listing.ts"
import type { RequestOptions } from "./Options.ts"
import type { SubscribableEvent } from "./Webhook.ts"
import type { PastEvent } from "./WebhookEvent.ts"

/** Which events, and how many at a time. */
export interface ListEvents {
  readonly type?: SubscribableEvent | undefined
  /** Of this moment and later: ISO 8601 with a zone. */
  readonly since?: string | undefined
  /** Of a page: 1 to 100, 20 where it is left out. */
  readonly limit?: number | undefined
  /** `next_cursor` of an earlier page. */
  readonly cursor?: string | undefined
}

export class Events {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** The last 30 days, newest first: awaited, a page; iterated, all of them. Scope `topics:read`. */
  list(events: ListEvents = {}, options?: RequestOptions): Listing<PastEvent, CursorPage<PastEvent>> {
    return new Listing((cursor) =>
      this.#connection.send<CursorPage<PastEvent>>({
        method: "GET",
        path: `/events${query({ ...events, cursor: cursor ?? events.cursor })}`,
        options
      })
    )
  }
}
