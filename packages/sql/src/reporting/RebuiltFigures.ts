/**
 * Rebuilds the daily figures from the assignments, one day of one owner in a transaction, while others go on writing. A writer changes
 * its assignment before the figures, so whoever waits for the lock adds what the recount could not see yet.
 */

import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { transact } from "../database/Transaction.ts"
import { recountTallies, recountTimesOf } from "./Recount.ts"

interface OwnersDay {
  readonly organization_id: OrganizationId
  readonly environment: Environment
  readonly day: string
}

/** Writers go on between two days. */
const pause = "20 millis"

/** Returns how many days of owners were rebuilt. Safe to break off and to run again. */
export const rebuild = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let rebuilt = 0
  let next = yield* nextBehind(sql, { organization_id: "", environment: "", day: "" })
  while (next !== undefined) {
    yield* transact(sql, ofDay(sql, next))
    rebuilt++
    yield* Effect.sleep(pause)
    next = yield* nextBehind(sql, next)
  }
  return rebuilt
}).pipe(Effect.orDie)

/** The next day that has topics, or figures that nothing stands for any more. */
const nextBehind = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { day, environment, organization_id }: Readonly<Record<keyof OwnersDay, string>>
) {
  const after = sql`(${organization_id}, ${environment}, ${`${day}~`})`
  // Behind every moment of the day, and before the next.
  const ofTopics =
    yield* sql<OwnersDay>`SELECT organization_id, environment, substr(created_at, 1, 10) AS day FROM topics
    WHERE (organization_id, environment, created_at) > ${after}
    ORDER BY organization_id, environment, created_at LIMIT 1`
  const ofFigures = yield* Effect.forEach(
    ["tallies", "performance_times"],
    (table) => sql<OwnersDay>`SELECT organization_id, environment, day FROM ${sql(table)}
      WHERE (organization_id, environment, day) > ${after} AND day <> ''
      ORDER BY organization_id, environment, day LIMIT 1`
  )
  const [first] = [...ofTopics, ...ofFigures.flat()].toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  return first
})

const keyOf = (one: OwnersDay): string => `${one.organization_id} ${one.environment} ${one.day}`

const ofDay = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, { day, environment, organization_id }: OwnersDay) {
  // In the order of the writers. On SQLite the first DELETE keeps them out.
  yield* sql.onDialectOrElse({
    pg: () => sql`LOCK TABLE performance_times, tallies IN SHARE ROW EXCLUSIVE MODE`,
    orElse: () => Effect.void
  })
  const isOwn = sql`organization_id = ${organization_id} AND environment = ${environment}`
  yield* sql`DELETE FROM performance_times WHERE ${isOwn} AND day = ${day}`
  yield* sql`DELETE FROM tallies WHERE ${isOwn} AND day = ${day}`
  const among = sql`topic_id IN (SELECT id FROM topics
    WHERE ${isOwn} AND created_at > ${day} AND created_at < ${`${day}~`})`
  yield* recountTallies(sql, among)
  yield* recountTimesOf(sql, among)
})
