/** Reads lists of topics with the total number of topics on all pages. Each filter has its own index. */
import { fromIso, type Instant, toIso } from "@partner-commentary/core/shared/Instant"
import { type TopicStatus, topicStatuses } from "@partner-commentary/core/topic/TopicStatus"
import { maxCountedTotal, type TopicQuery, type TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { limitClause } from "../database/Clauses.ts"
import { type DirectRead, readBySqlStatement } from "../database/DirectReads.ts"
import { mapRowsInSteps } from "../database/Steps.ts"
import * as Counters from "../reporting/Counters.ts"
import * as TopicRow from "./TopicRow.ts"

/**
 * Returns the statuses that a filter selects. A filter with all statuses selects the same topics as a filter without
 * statuses.
 */
const statusesOf = ({ status }: TopicQuery): ReadonlyArray<TopicStatus> => {
  const given = status === null ? [] : typeof status === "string" ? [status] : [...new Set(status)]
  return given.length === topicStatuses.length ? [] : given
}

export const makeTopicListReader = (sql: SqlClient.SqlClient, direct: DirectRead): TopicStore["Service"]["list"] => {
  const none = sql.literal("")
  const listed = sql.literal(TopicRow.listedColumnsSql)
  const unlessAbsent = (value: Instant | null | undefined, condition: (iso: string) => Fragment) =>
    value === null || value === undefined ? none : condition(toIso(value))

  /** Returns the conditions of the filter, without the condition on the status. */
  const matching = ({ created, owner, reference, updatedAfter }: TopicQuery) =>
    sql`organization_id = ${owner.organizationId} AND environment = ${owner.environment}
      ${reference === null || reference === undefined ? none : sql`AND external_reference = ${reference}`}
      ${unlessAbsent(created?.after, (iso) => sql`AND created_at > ${iso}`)}
      ${unlessAbsent(created?.before, (iso) => sql`AND created_at < ${iso}`)}
      ${unlessAbsent(updatedAfter, (iso) => sql`AND updated_at > ${iso}`)}`

  const isCounted = ({ created, reference, updatedAfter }: TopicQuery) =>
    [created?.after, created?.before, reference, updatedAfter].every((value) => value === null || value === undefined)

  const total = (list: TopicQuery, statuses: ReadonlyArray<TopicStatus>) =>
    isCounted(list)
      ? Counters.readTopicTotal(sql, direct, list.owner, statuses)
      : Effect.map(
          readBySqlStatement(
            sql,
            direct,
            sql<{ readonly total: number }>`SELECT CAST(COUNT(*) AS INTEGER) AS total FROM (SELECT 1 FROM topics
              WHERE ${matching(list)} ${statuses.length === 0 ? none : sql`AND ${sql.in("status", statuses)}`}
              ${limitClause(sql, maxCountedTotal)}) AS few`
          ),
          ([row]) => row?.total ?? 0
        )

  const page = Effect.fnUntraced(function* (list: TopicQuery) {
    const { from, limit, oldestFirst = false, updatedAfter } = list
    const statuses = statusesOf(list)
    const counted = yield* total(list, statuses)
    const isByChange = updatedAfter !== null && updatedAfter !== undefined
    const moment = sql.literal(isByChange ? "updated_at" : "created_at")
    const direction = sql.literal(oldestFirst ? "" : "DESC")
    const beyond = sql.literal(oldestFirst ? ">" : "<")
    const behind =
      "cursor" in from ? sql`AND (${moment}, id) ${beyond} (${toIso(from.cursor.createdAt)}, ${from.cursor.id})` : none
    const offset = "offset" in from ? from.offset : 0
    const some = (status: Fragment, count: number) => sql`FROM topics WHERE ${matching(list)} ${status} ${behind}
      ORDER BY ${moment} ${direction}, id ${direction} ${limitClause(sql, count)}`
    const [first, ...others] = statuses.map((status) => sql`AND status = ${status}`)
    const keys = (status: Fragment, count: number) =>
      sql`SELECT moment, topic_id FROM (SELECT ${moment} AS moment, id AS topic_id ${some(status, count)}) AS few`
    /** Reads only the topic rows of the page. The index is sufficient to skip the topics before the page. */
    const ofKeys = (
      few: Fragment
    ) => sql<TopicRow.ListedTopicRow>`SELECT ${listed} FROM (SELECT few.moment, few.topic_id
        FROM (${few}) few ORDER BY few.moment ${direction}, few.topic_id ${direction}
        ${limitClause(sql, limit + 1)} OFFSET ${offset}) few
      JOIN topics ON id = few.topic_id ORDER BY few.moment ${direction}, few.topic_id ${direction}`
    const reach = offset + limit + 1
    const statement =
      first === undefined || others.length === 0
        ? offset === 0
          ? sql<TopicRow.ListedTopicRow>`SELECT ${listed} ${some(first ?? none, limit + 1)}`
          : ofKeys(keys(first ?? none, reach))
        : ofKeys(others.reduce((before, one) => sql`${before} UNION ALL ${keys(one, reach)}`, keys(first, reach)))
    const rows = yield* readBySqlStatement(sql, direct, statement)
    const items = yield* mapRowsInSteps(rows.slice(0, limit), TopicRow.listedTopicFromRow)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    const next = Option.map(Option.fromUndefinedOr(last), (row) => {
      return { createdAt: fromIso(isByChange ? row.updated_at : row.created_at), id: row.id }
    })
    return { items, total: counted, next }
  })
  return (list) => Effect.orDie(page(list))
}
