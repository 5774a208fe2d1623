/** `pc.events`: what happened to a partner's topics in the last 30 days. */
import type { Event } from "@partner-commentary/api/EventsApi"
import { EventHistory } from "@partner-commentary/core/webhook/EventHistory"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type HostDate, moment } from "../ports/Moment.ts"
import { decoding, type Owned, ofOrganization, ownerOf, type Run } from "./UseCase.ts"

export interface EventFilter extends Owned {
  readonly type?: EventType | undefined
  /** Lists events of this time or later. */
  readonly since?: HostDate | string | undefined
}

const read = decoding(
  Schema.Struct({
    ...ofOrganization,
    type: Schema.optional(EventType.annotate({ message: `must be one of ${EventType.literals.join(", ")}` })),
    since: Schema.optional(moment)
  })
)

/** The maximum number of events in one query. */
const pageSize = 100

export const events = (run: Run) => ({
  /**
   * Lists events newest first, and fetches each page when it is needed: `for await (const event of pc.events.list({
   * organization_id }))`.
   */
  list: (filter: EventFilter): AsyncIterable<typeof Event.Encoded> => {
    const page = (behind: Parameters<EventHistory["Service"]["page"]>[0]["behind"]) =>
      Effect.tryPromise({
        try: () =>
          run(
            Effect.gen(function* () {
              const { since, type, ...owned } = yield* read(filter)
              const asked = {
                owner: ownerOf(owned),
                type: type ?? null,
                since: since ?? null,
                limit: pageSize,
                behind,
                forward: false
              }
              return yield* (yield* EventHistory).page(asked)
            })
          ),
        catch: (error) => error
      })
    return Stream.toAsyncIterable(
      Stream.paginate(null as Parameters<typeof page>[0], (behind) =>
        Effect.map(page(behind), ({ next, payloads }) => [
          payloads.map((payload) => JSON.parse(payload) as typeof Event.Encoded),
          next
        ])
      )
    )
  }
})
