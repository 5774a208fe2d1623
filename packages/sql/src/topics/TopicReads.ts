/**
 * Reads topics with one query for each request. Each query uses an index. TopicProgressReader reads the progress of a
 * topic, and TopicPages reads lists of topics.
 */
import type { TopicId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { assignmentStatuses, type TopicStatus } from "@partner-commentary/core/topic/TopicStatus"
import type {
  PublicAssignment,
  ReferenceLookupLimits,
  TopicStore,
  TopicWithAssignments
} from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import {
  type PublicAssignmentRow,
  publicAssignmentColumnsSql,
  publicAssignmentFromRow
} from "../assignments/AssignmentRow.ts"
import { limitClause } from "../database/Clauses.ts"
import { type DirectRead, makePreparedRead } from "../database/DirectReads.ts"
import { mapRowsInSteps } from "../database/Steps.ts"
import { makeTopicListReader } from "./TopicPages.ts"
import * as TopicRow from "./TopicRow.ts"

/** The query reads the long columns of a topic only in the row of the first assignment. */
const columns = (metadata: string) => `t.id AS topic_id, t.organization_id, t.organization_name, t.environment,
  t.external_reference, t.status AS topic_status, t.created_at AS topic_created_at, t.updated_at, t.version,
  CASE WHEN a.position = 0 THEN t.content END AS content,
  CASE WHEN a.position = 0 THEN ${metadata} END AS metadata,
  CASE WHEN a.position = 0 THEN t.output_types END AS output_types,
  CASE WHEN a.position = 0 THEN t.webhook_ids END AS webhook_ids,
  t.topic_sent, t.opinion_injected, t.commentary_generated, t.creator_approved, t.declined, t.expired,
  t.abandoned, t.cancelled, ${publicAssignmentColumnsSql}`

export const makeTopicReads = (
  sql: SqlClient.SqlClient,
  read: DirectRead
): Pick<TopicStore["Service"], "find" | "byReference" | "list"> => {
  const none = sql.literal("")

  const rowsOf = <Further = unknown>(topics: Fragment, extraColumns = none, metadata = "t.metadata") =>
    sql<(FirstRow | NextRow) & Further>`SELECT ${extraColumns} ${sql.literal(columns(metadata))} FROM (${topics}) t
      JOIN assignments a ON a.topic_id = t.id ORDER BY t.created_at DESC, t.id DESC, a.position`

  const prepared = makePreparedRead<FirstRow | NextRow, "id" | "organization" | "environment">(
    sql,
    read,
    (value) => sql`SELECT ${sql.literal(columns("t.metadata"))} FROM topics t JOIN assignments a ON a.topic_id = t.id
      WHERE t.id = ${value("id")} AND t.organization_id = ${value("organization")}
        AND t.environment = ${value("environment")}
      ORDER BY a.position`
  )

  /**
   * On Postgres, the inner query selects by the primary key alone. Without statistics, Postgres might otherwise choose
   * an index on all topics of an organization.
   */
  const rowsOfTopic = ({ environment, organizationId: organization }: Owner, id: TopicId) =>
    sql.onDialectOrElse({
      pg: () =>
        rowsOf(sql`SELECT * FROM (SELECT * FROM topics WHERE id = ${id} LIMIT 1) one
          WHERE organization_id = ${organization} AND environment = ${environment}`),
      orElse: () => prepared({ id, organization, environment })
    })

  const size = sql.literal(assignmentStatuses.join(" + "))

  /**
   * The counts of a topic contain the number of its assignments, so the query need not read assignments first. The
   * query measures the size of texts before it reads texts, because each assignment's row repeats the topic's content.
   */
  const referred = (carrying: Fragment, depth: ReferenceLookupLimits) => {
    const newest = sql.literal("(ORDER BY created_at DESC, id DESC ROWS UNBOUNDED PRECEDING)")
    const few = sql`SELECT few.*, SUM(${size}) OVER ${newest} AS reached, ROW_NUMBER() OVER ${newest} AS place
      FROM (SELECT * FROM topics WHERE ${carrying} ORDER BY created_at DESC, id DESC ${limitClause(sql, depth.topics)}) few`
    const measured = sql`SELECT few.*, OCTET_LENGTH(content) * (${size}) + COALESCE((
        SELECT SUM(OCTET_LENGTH(commentary_content)) FROM assignments WHERE topic_id = few.id
      ), 0) AS bytes FROM (${few}) few WHERE reached <= ${depth.assignments} OR place = 1`
    return sql`SELECT * FROM (SELECT few.*, SUM(bytes) OVER ${newest} AS sum FROM (${measured}) few) few
      WHERE sum <= ${depth.bytes} OR place = 1`
  }

  /** The column `older` in the row of the first assignment tells whether an earlier topic with the reference exists. */
  const older = (carrying: Fragment) =>
    sql`CASE WHEN a.position = 0 AND EXISTS (SELECT 1 FROM topics WHERE ${carrying}
        AND (topics.created_at, topics.id) < (t.created_at, t.id)) THEN 1 ELSE 0 END AS older,`

  const byReference = Effect.fnUntraced(function* (owner: Owner, reference: string, depth: ReferenceLookupLimits) {
    const carrying = sql`organization_id = ${owner.organizationId} AND environment = ${owner.environment}
      AND external_reference = ${reference}`
    const metadata = "CASE WHEN t.place = 1 THEN t.metadata ELSE '{}' END"
    const rows = yield* rowsOf<{ readonly older: number }>(referred(carrying, depth), older(carrying), metadata)
    const oldest = rows.findLast(({ content }) => content !== null)
    const topics = yield* group(rows)
    return {
      topics: topics.map(({ assignments, topic: { metadata: _, ...topic } }) => ({ topic, assignments })),
      metadata: topics[0]?.topic.metadata ?? {},
      more: oldest?.older === 1
    }
  })

  const page = makeTopicListReader(sql, read)

  return {
    find: (owner, id) =>
      Effect.orDie(
        Effect.flatMap(rowsOfTopic(owner, id), (rows) =>
          Effect.map(group(rows), ([topic]) => Option.fromUndefinedOr(topic))
        )
      ),
    byReference: (owner, reference, depth) => Effect.orDie(byReference(owner, reference, depth)),
    list: page
  }
}

interface NextRow
  extends Omit<TopicRow.TopicRow, "id" | "status" | "content" | "metadata" | "output_types" | "webhook_ids">,
    PublicAssignmentRow {
  readonly topic_id: TopicId
  readonly topic_status: TopicStatus
  readonly topic_created_at: string
  readonly content: null
}

interface FirstRow extends Omit<NextRow, "content"> {
  readonly content: string
  readonly metadata: string
  readonly output_types: string
  readonly webhook_ids: string | null
}

const group = (rows: ReadonlyArray<FirstRow | NextRow>): Effect.Effect<ReadonlyArray<TopicWithAssignments>> => {
  const topics: Array<Omit<TopicWithAssignments, "assignments"> & { readonly assignments: Array<PublicAssignment> }> =
    []
  const grouped = mapRowsInSteps(rows, (row) => {
    if (row.content !== null) {
      topics.push({ revision: TopicRow.makeTopicRevision(row), topic: TopicRow.fromRow(topicOf(row)), assignments: [] })
    }
    topics.at(-1)?.assignments.push(publicAssignmentFromRow(row))
  })
  return Effect.as(grouped, topics)
}

/** Copies each column by name, because a copy of the whole row takes ten times as long. */
const topicOf = (row: FirstRow): Omit<TopicRow.TopicRow, "updated_at" | "version"> => ({
  id: row.topic_id,
  organization_id: row.organization_id,
  organization_name: row.organization_name,
  environment: row.environment,
  external_reference: row.external_reference,
  content: row.content,
  metadata: row.metadata,
  output_types: row.output_types,
  webhook_ids: row.webhook_ids,
  status: row.topic_status,
  created_at: row.topic_created_at,
  ...TopicRow.pickTopicCounts(row)
})
