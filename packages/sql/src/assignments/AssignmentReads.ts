/**
 * Reads an assignment together with the text of its topic. On Postgres, concurrent reads share one statement. A read
 * within a transaction runs its own statement.
 */
import type { ShareId } from "@partner-commentary/core/shared/Ids"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlClient } from "effect/sql/SqlClient"
import * as BatchLoader from "../database/BatchLoader.ts"
import { toPostgresArray } from "../database/Columns.ts"
import { DirectReads, makePreparedRead } from "../database/DirectReads.ts"
import { isInTransaction } from "../database/Transaction.ts"
import { type AssignmentWithTopicRow, assignmentWithTopicColumns } from "./AssignmentRow.ts"

type Read = (id: ShareId) => Effect.Effect<AssignmentWithTopicRow | undefined>

export const make = Effect.fnUntraced(function* (sql: SqlClient) {
  const columns = sql.literal(assignmentWithTopicColumns)
  const prepared = makePreparedRead<AssignmentWithTopicRow, "id">(
    sql,
    yield* DirectReads,
    (value) => sql`SELECT ${columns}
      FROM assignments a JOIN topics t ON t.id = a.topic_id WHERE a.id = ${value("id")}`
  )
  const alone: Read = (id) => Effect.orDie(Effect.map(prepared({ id }), ([row]) => row))
  return yield* sql.onDialectOrElse({ pg: () => readBatched(sql, alone), orElse: () => Effect.succeed(alone) })
})

/** The maximum number of assignments in one statement. */
const maxBatch = 100

/** The join makes the query planner find each row by its primary key, even when the table statistics are outdated. */
const readBatched = Effect.fnUntraced(function* (sql: SqlClient, alone: Read) {
  const columns = sql.literal(assignmentWithTopicColumns)
  const ask = Effect.fnUntraced(function* (ids: ReadonlyArray<ShareId>) {
    const rows = yield* sql<AssignmentWithTopicRow>`SELECT ${columns}
      FROM UNNEST(CAST(${toPostgresArray([...new Set(ids)])} AS TEXT[])) AS given (id)
      CROSS JOIN LATERAL (SELECT * FROM assignments WHERE assignments.id = given.id LIMIT 1) a
      CROSS JOIN LATERAL (SELECT content, organization_name FROM topics WHERE topics.id = a.topic_id LIMIT 1) t`
    const found = new Map(rows.map((row) => [row.id, row]))
    return ids.map((id) => Exit.succeed(found.get(id)))
  }, Effect.orDie)
  const read = yield* BatchLoader.make(ask, { limit: maxBatch })
  return (id: ShareId) => Effect.withFiber((fiber) => (isInTransaction(sql, fiber) ? alone(id) : read(id)))
})
