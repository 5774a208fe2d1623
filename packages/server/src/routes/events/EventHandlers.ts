/** Handles requests for past events. Payloads are sent exactly as they are stored. */
import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { toOwner } from "@partner-commentary/core/access/Ownership"
import { makeNewEventsSignal } from "@partner-commentary/core/shared/WorkSignal"
import { EventHistory, formatEventCursor } from "@partner-commentary/core/webhook/EventHistory"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import * as Envelope from "../../http/Envelope.ts"
import { addPreferenceAppliedHeader, parsePreferredWaitSeconds } from "../../http/Preference.ts"
import * as LongPolling from "../../middleware/LongPolling.ts"
import * as EventQuery from "./EventQuery.ts"
import * as EventStream from "./EventStream.ts"

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* EventHistory
    const wait = yield* LongPolling.make
    const stream = yield* EventStream.make
    return handlers
      .handle("stream", ({ headers, query, request }) =>
        Effect.flatMap(EventQuery.readEventStreamQuery(query, headers["last-event-id"]), (asked) =>
          stream(request, asked)
        )
      )
      .handle(
        "list",
        Effect.fnUntraced(function* ({ query, request }) {
          const owner = toOwner(yield* CurrentPrincipal)
          const asked = yield* EventQuery.readEventListQuery(query)
          const answer = Effect.map(events.page({ owner, ...asked }), ({ events: found, next }) => {
            const pagination = {
              limit: asked.limit,
              next_cursor: Option.getOrNull(Option.map(next, formatEventCursor))
            }
            const body = `{"success":true,"data":[${found.map(({ payload }) => payload).join()}],"pagination":${JSON.stringify(pagination)}}`
            return { isEmpty: found.length === 0, response: Envelope.makeJsonResponse(body) }
          })
          const preferred = parsePreferredWaitSeconds(request.headers["prefer"])
          if (preferred === 0) return (yield* answer).response
          // A backward list ignores the preference. But the request has a permit of the pool `waiting` only, so it must
          // read like a request that waits.
          const seconds = asked.forward ? preferred : 0
          let last = HttpServerResponse.empty()
          const look = Effect.map(answer, ({ isEmpty, response }) => {
            last = response
            return isEmpty ? Option.none() : Option.some(response)
          })
          const found = yield* wait(request, { change: makeNewEventsSignal(owner), seconds, pool: "standard", look })
          const response = Option.getOrElse(found, () => last)
          return asked.forward ? addPreferenceAppliedHeader(response) : response
        })
      )
  })
)
