/**
 * Reads the progress of a topic. The service reads the progress of topics more often than any other data. The query
 * returns most topic columns only in the first row of the topic. On Postgres, concurrent reads share one statement. A
 * read within a transaction runs its own statement.
 */
import type { PersonaId, ShareId, TopicId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { AssignmentStatus, FailureReason } from "@partner-commentary/core/topic/Assignment"
import type { TopicStatus } from "@partner-commentary/core/topic/TopicStatus"
import type { TopicProgress } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import { failureReasonFromRow } from "../assignments/AssignmentRow.ts"
import * as BatchLoader from "../database/BatchLoader.ts"
import { toPostgresArray } from "../database/Columns.ts"
import { DirectReads, makePreparedRead } from "../database/DirectReads.ts"
import { isInTransaction } from "../database/Transaction.ts"
import { makeTopicRevision } from "./TopicRow.ts"

/**
 * The columns from `external_reference` to `created_at` belong to the topic, and are null in all rows except the
 * topic's first row.
 */
interface Row {
  readonly external_reference: string | null
  readonly content: string | null
  readonly metadata: string | null
  readonly output_types: string | null
  readonly topic_status: TopicStatus | null
  readonly created_at: string | null
  readonly updated_at: string
  readonly version: number
  readonly id: ShareId
  readonly persona_id: PersonaId
  readonly persona_name: string
  readonly status: AssignmentStatus
  readonly status_updated_at: string
  readonly failure_reason: FailureReason | null
  readonly was_cancelled: number
  readonly failure_at: string | null
  readonly respond_by: string
  readonly approve_by: string | null
}

interface Call {
  readonly owner: Owner
  readonly id: TopicId
}

type Read = (call: Call) => Effect.Effect<Option.Option<TopicProgress>>

const columns = `CASE WHEN a.position = 0 THEN t.external_reference END AS external_reference,
  CASE WHEN a.position = 0 THEN t.content END AS content,
  CASE WHEN a.position = 0 THEN t.metadata END AS metadata,
  CASE WHEN a.position = 0 THEN t.output_types END AS output_types,
  CASE WHEN a.position = 0 THEN t.status END AS topic_status,
  CASE WHEN a.position = 0 THEN t.created_at END AS created_at,
  t.updated_at, t.version, a.id, a.persona_id, a.persona_name, a.status, a.status_updated_at, a.failure_reason,
  a.failure_at, a.was_cancelled, a.respond_by, a.approve_by`

export const make = Effect.fnUntraced(function* (sql: SqlClient) {
  const prepared = makePreparedRead<Row, "id" | "organization" | "environment">(
    sql,
    yield* DirectReads,
    (value) => sql`SELECT ${sql.literal(columns)} FROM topics t JOIN assignments a ON a.topic_id = t.id
      WHERE t.id = ${value("id")} AND t.organization_id = ${value("organization")}
        AND t.environment = ${value("environment")}
      ORDER BY a.position`
  )
  const readOne: Read = ({ id, owner: { environment, organizationId: organization } }) =>
    Effect.orDie(Effect.map(prepared({ id, organization, environment }), (rows) => progressOf(id, rows)))
  return yield* sql.onDialectOrElse({
    pg: () => readBatched(sql, readOne),
    orElse: () => Effect.succeed(readOne)
  })
})

/** The maximum number of topics in one statement. */
const maxBatch = 100

/**
 * The statement finds each topic by its key, and then joins the topic's assignments. Without statistics, Postgres might
 * otherwise choose an index on all topics of an organization, or scan the whole table.
 */
const readBatched = Effect.fnUntraced(function* (sql: SqlClient, alone: Read) {
  const ask = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
    const rows = yield* sql<
      Row & { readonly place: number }
    >`SELECT CAST(given.place AS INTEGER) AS place, ${sql.literal(columns)} FROM UNNEST(
        CAST(${toPostgresArray(calls.map(({ id }) => id))} AS TEXT[]),
        CAST(${toPostgresArray(calls.map(({ owner }) => owner.organizationId))} AS TEXT[]),
        CAST(${toPostgresArray(calls.map(({ owner }) => owner.environment))} AS TEXT[])
      ) WITH ORDINALITY AS given (id, organization_id, environment, place)
      CROSS JOIN LATERAL (SELECT * FROM topics WHERE topics.id = given.id LIMIT 1) t
      CROSS JOIN LATERAL (SELECT * FROM assignments WHERE topic_id = t.id OFFSET 0) a
      WHERE t.organization_id = given.organization_id AND t.environment = given.environment
      ORDER BY given.place, a.position`
    const found = calls.map((): Array<Row> => [])
    for (const row of rows) found[row.place - 1]?.push(row)
    return calls.map(({ id }, index) => Exit.succeed(progressOf(id, found[index] ?? [])))
  }, Effect.orDie)
  const read = yield* BatchLoader.make(ask, { limit: maxBatch })
  return (call: Call) => Effect.withFiber((fiber) => (isInTransaction(sql, fiber) ? alone(call) : read(call)))
})

const progressOf = (id: TopicId, rows: ReadonlyArray<Row>): Option.Option<TopicProgress> => {
  const [first] = rows
  if (first === undefined || first.content === null || first.topic_status === null || first.created_at === null) {
    return Option.none()
  }
  return Option.some({
    id,
    revision: makeTopicRevision(first),
    externalReference: first.external_reference,
    content: first.content,
    metadata: JSON.parse(first.metadata ?? "{}"),
    outputTypes: JSON.parse(first.output_types ?? "[]"),
    status: first.topic_status,
    createdAt: first.created_at,
    assignments: rows.map((row) => ({
      id: row.id,
      personaId: row.persona_id,
      personaName: row.persona_name,
      status: row.status,
      statusUpdatedAt: row.status_updated_at,
      failureReason: failureReasonFromRow(row),
      failureAt: row.failure_at,
      expiresAt: expiresAt(row)
    }))
  })
}

/** Returns the creator's deadline while the creator has to answer or approve, and null at other times. */
const expiresAt = ({ approve_by, failure_at, respond_by, status }: Row): string | null => {
  if (failure_at !== null) return null
  return status === "topic_sent" ? respond_by : status === "commentary_generated" ? approve_by : null
}
