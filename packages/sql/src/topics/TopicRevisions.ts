/** Reads the revisions of topics by their keys. On Postgres, concurrent reads share one statement. */
import type { TopicId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { Revision } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import * as BatchLoader from "../database/BatchLoader.ts"
import { toPostgresArray } from "../database/Columns.ts"
import { type DirectRead, DirectReads, readStatement } from "../database/DirectReads.ts"
import { isWithin } from "../database/Transaction.ts"
import { revisionOf, type TopicRow } from "./TopicRow.ts"

type Row = Pick<TopicRow, "id" | "organization_id" | "environment" | "updated_at" | "version">

interface Call {
  readonly owner: Owner
  readonly id: TopicId
}

type Read = (call: Call) => Effect.Effect<Option.Option<Revision>>

const columns = "id, organization_id, environment, updated_at, version"

/** The maximum number of topics in one statement. */
const maxBatch = 500

export const make = (sql: SqlClient) => {
  const readTogether = (ids: ReadonlyArray<TopicId>) =>
    Effect.orDie(
      sql<Row>`SELECT ${sql.literal(columns)} FROM topics WHERE id = ANY(CAST(${toPostgresArray(ids)} AS TEXT[]))`
    )
  const alone =
    (direct: DirectRead): Read =>
    (call) =>
      Effect.orDie(
        Effect.map(
          readStatement(sql, direct, sql<Row>`SELECT ${sql.literal(columns)} FROM topics WHERE id = ${call.id}`),
          ([row]) => revisionFor(call, row)
        )
      )
  return Effect.flatMap(DirectReads, (direct) => {
    const read = alone(direct)
    return sql.onDialectOrElse({
      pg: () =>
        Effect.map(
          batched(readTogether),
          (together): Read =>
            (call) =>
              Effect.withFiber((fiber) => (isWithin(sql, fiber) ? read(call) : together(call)))
        ),
      orElse: () => Effect.succeed(read)
    })
  })
}

const batched = (read: (ids: ReadonlyArray<TopicId>) => Effect.Effect<ReadonlyArray<Row>>) => {
  const ask = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
    const rows = yield* read([...new Set(calls.map(({ id }) => id))])
    const byId = new Map(rows.map((row) => [row.id, row]))
    return calls.map((call) => Exit.succeed(revisionFor(call, byId.get(call.id))))
  })
  return BatchLoader.make(ask, { limit: maxBatch })
}

const revisionFor = ({ owner }: Call, row: Row | undefined): Option.Option<Revision> =>
  row !== undefined && row.organization_id === owner.organizationId && row.environment === owner.environment
    ? Option.some(revisionOf(row))
    : Option.none()
