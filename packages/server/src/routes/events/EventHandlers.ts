/** Handlers for past events. Payloads are sent exactly as they are stored. */
import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import type { Problem } from "@partner-commentary/api/Errors"
import { eventListBounds } from "@partner-commentary/api/EventsApi"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { ownerOf } from "@partner-commentary/core/access/Ownership"
import { newEvents } from "@partner-commentary/core/shared/WorkSignal"
import { EventHistory, formatCursor, parseCursor } from "@partner-commentary/core/webhook/EventHistory"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { invalidRequest } from "../../http/Body.ts"
import { contentType } from "../../http/Envelope.ts"
import { applied, preferredWait } from "../../http/Preference.ts"
import * as QueryMoment from "../../http/QueryMoment.ts"
import * as WaitingRequests from "../../middleware/WaitingRequests.ts"
import { integer } from "../topics/TopicListQuery.ts"

const { defaultLimit, maxLimit } = eventListBounds

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "events",
  Effect.fnUntraced(function* (handlers) {
    const events = yield* EventHistory
    const wait = yield* WaitingRequests.make
    return handlers.handle(
      "list",
      Effect.fnUntraced(function* ({ query, request }) {
        const owner = ownerOf(yield* CurrentPrincipal)
        const asked = yield* read(query)
        const answer = Effect.map(events.page({ owner, ...asked }), ({ next, payloads }) => {
          const pagination = { limit: asked.limit, next_cursor: Option.getOrNull(Option.map(next, formatCursor)) }
          const body = `{"success":true,"data":[${payloads.join()}],"pagination":${JSON.stringify(pagination)}}`
          return { isEmpty: payloads.length === 0, response: HttpServerResponse.text(body, { contentType }) }
        })
        const seconds = asked.forward ? preferredWait(request.headers["prefer"]) : 0
        if (seconds === 0) return (yield* answer).response
        let last = HttpServerResponse.empty()
        const look = Effect.map(answer, ({ isEmpty, response }) => {
          last = response
          return isEmpty ? Option.none() : Option.some(response)
        })
        const found = yield* wait(request, { change: newEvents(owner), seconds, pool: "standard", look })
        return applied(Option.getOrElse(found, () => last))
      })
    )
  })
)

const isType = Schema.is(EventType)
const isOrder = Schema.is(Schema.Literals(["asc", "desc"]))

const read = (query: {
  readonly type?: string
  readonly since?: string
  readonly limit?: string
  readonly order?: string
  readonly after?: string
  readonly cursor?: string
}) => {
  const problems: Array<Problem> = []
  const wrong = (field: string, constraint: string): null => {
    problems.push({ field, constraint })
    return null
  }
  const given = <A>(text: string | undefined, parsed: (text: string) => Option.Option<A>, or: () => null): A | null =>
    text === undefined ? null : Option.getOrElse(parsed(text), or)
  const asked = {
    type: given(query.type, Option.liftPredicate(isType), () =>
      wrong("type", `must be one of ${EventType.literals.join(", ")}`)
    ),
    since: given(query.since, QueryMoment.parseQueryTime, () => wrong("since", QueryMoment.queryTimeConstraint)),
    limit:
      integer(query.limit, defaultLimit, 1, maxLimit) ??
      wrong("limit", `must be an integer from 1 to ${maxLimit}`) ??
      defaultLimit,
    forward: query.after !== undefined || query.order === "asc",
    behind:
      given(query.after, parseCursor, () => wrong("after", "must be the id of an event, such as evt_…")) ??
      given(query.cursor, parseCursor, () => wrong("cursor", "must be a pagination.next_cursor of this list"))
  }
  if (query.order !== undefined && !isOrder(query.order)) wrong("order", "must be one of asc, desc")
  if (query.after !== undefined && query.order === "desc") wrong("order", "must be asc together with after")
  if (query.after !== undefined && query.cursor !== undefined) wrong("cursor", "must not be given together with after")
  const [first, ...rest] = problems
  return first === undefined ? Effect.succeed(asked) : invalidRequest(first, ...rest)
}
