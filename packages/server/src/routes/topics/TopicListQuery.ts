/** Parses the query of the topic list and reports all problems at once. */
import type { Problem } from "@partner-commentary/api/Errors"
import { listBounds } from "@partner-commentary/api/TopicsApi"
import { type Cursor, parseCursor } from "@partner-commentary/core/shared/Page"
import { TopicStatus } from "@partner-commentary/core/topic/TopicStatus"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { invalid } from "../../http/Body.ts"

const { defaultLimit, maxLimit, maxOffset } = listBounds

const isStatus = Schema.is(TopicStatus)

export const readList = (query: {
  readonly status?: string
  readonly limit?: string
  readonly offset?: string
  readonly cursor?: string
}) => {
  const problems: Array<Problem> = []
  const wrong = (field: string, constraint: string): undefined => {
    problems.push({ field, constraint })
  }
  const limit =
    integer(query.limit, defaultLimit, 1, maxLimit) ?? wrong("limit", `must be an integer from 1 to ${maxLimit}`)
  const offset =
    integer(query.offset, 0, 0, maxOffset) ??
    wrong(
      "offset",
      `must be an integer from 0 to ${maxOffset}; beyond it, follow pagination.next_cursor with the cursor parameter`
    )
  const status = query.status ?? null
  if (status !== null && !isStatus(status)) wrong("status", `must be one of ${TopicStatus.literals.join(", ")}`)
  const cursor = query.cursor === undefined ? null : Option.getOrUndefined(parseCursor(query.cursor))
  if (cursor === undefined) wrong("cursor", "must be a pagination.next_cursor of this list")
  if (cursor !== null && query.offset !== undefined) wrong("offset", "must not be given together with a cursor")
  const [first, ...rest] = problems
  return first === undefined
    ? Effect.succeed({ limit, offset, status, cursor } as {
        readonly limit: number
        readonly offset: number
        readonly status: TopicStatus | null
        readonly cursor: Cursor | null
      })
    : invalid(first, ...rest)
}

export const integer = (text: string | undefined, absent: number, min: number, max: number): number | undefined => {
  if (text === undefined) return absent
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}
