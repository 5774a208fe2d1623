/**
 * Reads the query parameters of the event list and of the event stream. One response reports all problems of the query.
 */
import type { RequestProblem } from "@partner-commentary/api/Errors"
import { eventListBounds } from "@partner-commentary/api/EventsApi"
import { parseEventCursor } from "@partner-commentary/core/webhook/EventHistory"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failWithInvalidRequest } from "../../http/Body.ts"
import * as QueryTime from "../../http/QueryTime.ts"
import { parseBoundedInteger } from "../topics/TopicListQuery.ts"

const { defaultLimit, maxLimit } = eventListBounds

const isType = Schema.is(EventType)
const isOrder = Schema.is(Schema.Literals(["asc", "desc"]))

interface StreamQuery {
  readonly type?: string
  readonly since?: string
  readonly after?: string
}

interface ListQuery extends StreamQuery {
  readonly limit?: string
  readonly order?: string
  readonly cursor?: string
}

const makeReader = () => {
  const problems: Array<RequestProblem> = []
  const wrong = (field: string, constraint: string): null => {
    problems.push({ field, constraint })
    return null
  }
  const given = <A>(text: string | undefined, parsed: (text: string) => Option.Option<A>, or: () => null): A | null =>
    text === undefined ? null : Option.getOrElse(parsed(text), or)
  const position = (field: string, text: string | undefined) =>
    given(text, parseEventCursor, () => wrong(field, "must be the id of an event, such as evt_…"))
  const filter = ({ since, type }: StreamQuery) => ({
    type: given(type, Option.liftPredicate(isType), () =>
      wrong("type", `must be one of ${EventType.literals.join(", ")}`)
    ),
    since: given(
      since,
      (text) => QueryTime.parseQueryTime(text, "up"),
      () => wrong("since", QueryTime.timestampConstraint)
    )
  })
  const checked = <A>(asked: A) => {
    const [first, ...rest] = problems
    return first === undefined ? Effect.succeed(asked) : failWithInvalidRequest(first, ...rest)
  }
  return { wrong, given, position, filter, checked }
}

export const readEventListQuery = (query: ListQuery) => {
  const { checked, filter, given, position, wrong } = makeReader()
  const asked = {
    ...filter(query),
    limit:
      parseBoundedInteger(query.limit, defaultLimit, 1, maxLimit) ??
      wrong("limit", `must be an integer from 1 to ${maxLimit}`) ??
      defaultLimit,
    forward: query.after !== undefined || query.order === "asc",
    behind:
      position("after", query.after) ??
      given(query.cursor, parseEventCursor, () => wrong("cursor", "must be a pagination.next_cursor of this list"))
  }
  if (query.order !== undefined && !isOrder(query.order)) wrong("order", "must be one of asc, desc")
  if (query.after !== undefined && query.order === "desc") wrong("order", "must be asc together with after")
  if (query.after !== undefined && query.cursor !== undefined) wrong("cursor", "must not be given together with after")
  return checked(asked)
}

/**
 * Reads the query of a stream. `Last-Event-ID` has precedence over `after`, because a reconnecting client repeats the
 * query of its first request.
 */
export const readEventStreamQuery = (query: StreamQuery, lastEventId: string | undefined) => {
  const { checked, filter, position } = makeReader()
  const after = position("after", query.after)
  return checked({ ...filter(query), behind: position("Last-Event-ID", lastEventId) ?? after })
}
