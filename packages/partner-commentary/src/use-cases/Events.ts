/** Provides `pc.events`, which lists the events of a partner's topics in the last 30 days. */
import type { Event } from "@partner-commentary/api/EventsApi"
import type { EventId } from "@partner-commentary/core/shared/Ids"
import { EventHistory, parseEventCursor } from "@partner-commentary/core/webhook/EventHistory"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type HostDate, HostStartDateSchema } from "../ports/Moment.ts"
import {
  type DataOwner,
  makeDecoder,
  ownerFields,
  type RunUseCase,
  readOrganizationAsCaller,
  toDataOwner
} from "./UseCase.ts"

export interface EventFilter extends DataOwner {
  readonly type?: EventType | undefined
  /** Only events at the time `since` or later are listed. */
  readonly since?: HostDate | string | undefined
  /** The order of the events, by default `desc`. `asc` is the order in which the service stored the events. */
  readonly order?: "asc" | "desc" | undefined
  /**
   * Only events after the event with the given id are listed, in the order `asc`. To continue an earlier list, pass the
   * id of the last handled event.
   */
  readonly after?: string | undefined
}

const read = makeDecoder(
  Schema.Struct({
    ...ownerFields,
    type: Schema.optional(EventType.annotate({ message: `must be one of ${EventType.literals.join(", ")}` })),
    since: Schema.optional(HostStartDateSchema),
    order: Schema.optional(Schema.Literals(["asc", "desc"]).annotate({ message: "must be one of asc, desc" })),
    after: Schema.optional(
      Schema.String.check(
        Schema.makeFilter((text) => Option.isSome(parseEventCursor(text)), {
          message: "must be the id of an event, such as evt_…"
        })
      )
    )
  }).check(
    Schema.makeFilter(
      ({ after, order }) =>
        after === undefined || order !== "desc" || { path: ["order"], issue: "must be asc together with after" }
    )
  )
)

/** The maximum number of events that one database query reads. */
const pageSize = 100

export const makeEventUseCases = (run: RunUseCase) => ({
  /**
   * Lists events, newest first unless `order` or `after` is set. Pages are read from the database as the iteration
   * advances. The iteration ends after the last stored event.
   *
   * ```ts
   * for await (const event of pc.events.list({ organization_id, after: lastId })) lastId = event.id
   * ```
   */
  list: (filter: EventFilter): AsyncIterable<typeof Event.Encoded> => {
    const page = (behind: Parameters<EventHistory["Service"]["page"]>[0]["behind"]) =>
      Effect.tryPromise({
        try: () =>
          run(
            Effect.gen(function* () {
              const { after, order, since, type, ...owned } = yield* read(filter)
              if (behind === null) yield* readOrganizationAsCaller(owned)
              const asked = {
                owner: toDataOwner(owned),
                type: type ?? null,
                since: since ?? null,
                limit: pageSize,
                behind: behind ?? Option.getOrNull(parseEventCursor(after ?? "")),
                forward: after !== undefined || order === "asc"
              }
              const { events, next } = yield* (yield* EventHistory).page(asked)
              // In ascending order, every page has a cursor, because later events may follow. An ascending list ends at
              // the first empty page.
              return { events, next: asked.forward && events.length === 0 ? Option.none<EventId>() : next }
            })
          ),
        catch: (error) => error
      })
    return Stream.toAsyncIterable(
      Stream.paginate(null as Parameters<typeof page>[0], (behind) =>
        Effect.map(page(behind), ({ events, next }) => [
          events.map(({ payload }) => JSON.parse(payload) as typeof Event.Encoded),
          next
        ])
      )
    )
  }
})
