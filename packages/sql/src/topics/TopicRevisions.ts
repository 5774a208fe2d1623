/** Reads the revisions of topics by primary key. On Postgres, concurrent reads share one statement. */
import type { TopicId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { TopicRevision } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import * as BatchLoader from "../database/BatchLoader.ts"
import { toPostgresArray } from "../database/Columns.ts"
import { DirectReads, makePreparedRead } from "../database/DirectReads.ts"
import { isInTransaction } from "../database/Transaction.ts"
import { makeTopicRevision, type TopicRow } from "./TopicRow.ts"

type Row = Pick<TopicRow, "id" | "organization_id" | "environment" | "updated_at" | "version">

interface Call {
  readonly owner: Owner
  readonly id: TopicId
}

type Read = (call: Call) => Effect.Effect<Option.Option<TopicRevision>>

const columns = "id, organization_id, environment, updated_at, version"

/** The maximum number of topics in one statement. */
const maxBatch = 500

export const make = Effect.fnUntraced(function* (sql: SqlClient) {
  const prepared = makePreparedRead<Row, "id">(
    sql,
    yield* DirectReads,
    (value) => sql`SELECT ${sql.literal(columns)} FROM topics WHERE id = ${value("id")}`
  )
  const alone: Read = (call) => Effect.orDie(Effect.map(prepared(call), ([row]) => revisionFor(call, row)))
  return yield* sql.onDialectOrElse({ pg: () => readBatched(sql, alone), orElse: () => Effect.succeed(alone) })
})

const readBatched = Effect.fnUntraced(function* (sql: SqlClient, alone: Read) {
  const ask = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
    const ids = [...new Set(calls.map(({ id }) => id))]
    const rows =
      yield* sql<Row>`SELECT ${sql.literal(columns)} FROM topics WHERE id = ANY(CAST(${toPostgresArray(ids)} AS TEXT[]))`
    const byId = new Map(rows.map((row) => [row.id, row]))
    return calls.map((call) => Exit.succeed(revisionFor(call, byId.get(call.id))))
  }, Effect.orDie)
  const read = yield* BatchLoader.make(ask, { limit: maxBatch })
  return (call: Call) => Effect.withFiber((fiber) => (isInTransaction(sql, fiber) ? alone(call) : read(call)))
})

const revisionFor = ({ owner }: Call, row: Row | undefined): Option.Option<TopicRevision> =>
  row !== undefined && row.organization_id === owner.organizationId && row.environment === owner.environment
    ? Option.some(makeTopicRevision(row))
    : Option.none()
