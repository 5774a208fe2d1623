/** Parses the query parameters of the topic list. One response reports all problems of the query. */

import { referenceConstraint } from "@partner-commentary/api/CreateTopicBody"
import type { RequestProblem } from "@partner-commentary/api/Errors"
import { topicListBounds } from "@partner-commentary/api/TopicsApi"
import { type PageCursor, parsePageCursor, type SortKey } from "@partner-commentary/core/shared/Page"
import { isExternalReference } from "@partner-commentary/core/topic/Topic"
import { TopicStatus } from "@partner-commentary/core/topic/TopicStatus"
import type { TopicQuery } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failWithInvalidRequest } from "../../http/Body.ts"
import * as QueryTime from "../../http/QueryTime.ts"

const { defaultLimit, maxLimit, maxOffset } = topicListBounds

const isStatus = Schema.is(TopicStatus)

export const readTopicListQuery = (
  query: {
    readonly [Name in
      | "status"
      | "external_reference"
      | "created_after"
      | "created_before"
      | "updated_after"
      | "order"
      | "limit"
      | "offset"
      | "cursor"]?: string
  }
) => {
  const problems: Array<RequestProblem> = []
  const wrong = (field: string, constraint: string): undefined => {
    problems.push({ field, constraint })
  }
  const limit =
    parseBoundedInteger(query.limit, defaultLimit, 1, maxLimit) ??
    wrong("limit", `must be an integer from 1 to ${maxLimit}`)
  const offset =
    parseBoundedInteger(query.offset, 0, 0, maxOffset) ??
    wrong(
      "offset",
      `must be an integer from 0 to ${maxOffset}; beyond it, follow pagination.next_cursor with the cursor parameter`
    )
  const status = query.status?.split(",") ?? null
  if (status !== null && !status.every(isStatus)) wrong("status", `must be one of ${TopicStatus.literals.join(", ")}`)
  const reference = query.external_reference ?? null
  if (reference !== null && !isExternalReference(reference)) wrong("external_reference", referenceConstraint)
  if (reference !== null && status !== null) wrong("status", "must not be given together with external_reference")
  const moment = (field: "created_after" | "created_before" | "updated_after") => {
    const text = query[field]
    if (text === undefined) return null
    const at = Option.getOrNull(QueryTime.parseQueryTime(text, field === "created_before" ? "up" : "down"))
    if (at === null) wrong(field, QueryTime.timestampConstraint)
    return at
  }
  const created = { after: moment("created_after"), before: moment("created_before") }
  const updatedAfter = moment("updated_after")
  const others = [status, reference, created.after, created.before]
  if (updatedAfter !== null && others.some((other) => other !== null)) {
    wrong("updated_after", "must not be given together with another filter")
  }
  const { order = "desc" } = query
  if (order !== "asc" && order !== "desc") wrong("order", "must be one of asc, desc")
  const sortKey = query.updated_after === undefined ? "created_at" : "updated_at"
  const cursor = query.cursor === undefined ? null : Option.getOrUndefined(parsePageCursor(query.cursor, sortKey))
  if (cursor === undefined) wrong("cursor", "must be a pagination.next_cursor of this list")
  if (cursor !== null && query.offset !== undefined) wrong("offset", "must not be given together with a cursor")
  const [first, ...rest] = problems
  const filter = { status, reference, created, updatedAfter, oldestFirst: order === "asc" }
  return first === undefined
    ? Effect.succeed({ limit, offset, filter, sortKey, cursor } as {
        readonly limit: number
        readonly offset: number
        readonly filter: Pick<TopicQuery, "status" | "reference" | "created" | "updatedAfter" | "oldestFirst">
        readonly sortKey: SortKey
        readonly cursor: PageCursor | null
      })
    : failWithInvalidRequest(first, ...rest)
}

export const parseBoundedInteger = (
  text: string | undefined,
  absent: number,
  min: number,
  max: number
): number | undefined => {
  if (text === undefined) return absent
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}
