/** Finds assignments by share id, creator or due time. Changes assignments in transactions that lock their topic. */

import { clockToleranceMillis, type LatestPlausibleDueTimes } from "@partner-commentary/core/shared/DueTimes"
import type { OrganizationId, ShareId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as LogContext from "@partner-commentary/core/shared/LogContext"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import {
  AssignmentStore,
  maxCountedFurtherAssignments,
  type OrganizationDueAssignments
} from "@partner-commentary/core/topic/AssignmentStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { limitClause } from "../database/Clauses.ts"
import { normalizeEmail } from "../database/Columns.ts"
import { makeDueTooLateCondition } from "../database/DueTimes.ts"
import { makeDueRowsClause, makeFirstDueAtSubquery } from "../database/FairQueue.ts"
import { transact } from "../database/Transaction.ts"
import * as AssignmentChanges from "./AssignmentChanges.ts"
import * as AssignmentReads from "./AssignmentReads.ts"
import {
  type AssignmentWithTopicRow,
  assignmentInContextFromRow,
  assignmentWithTopicColumns,
  makeEnvironmentCondition
} from "./AssignmentRow.ts"
import * as OpenAssignments from "./OpenAssignments.ts"

/**
 * The due time of the next step that starts no generation attempt. While an assignment waits for an attempt, this step
 * is the end of the approval window. The expression must equal the expression of the index `assignments_due_steps`.
 */
const dueWithoutDraft = "(CASE WHEN generation_next_at = due_at THEN approve_by ELSE due_at END)"

/** Adds the assignment's ids to the trace span of the request or job. */
const addIdsToSpan = ({ id: shareId, organizationId, topicId }: Assignment) =>
  LogContext.addLogContextToSpan({ organizationId, topicId, shareId })

export const layer = Layer.effect(
  AssignmentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const changes = yield* AssignmentChanges.make(sql)

    const inContext = sql.literal(`SELECT ${assignmentWithTopicColumns}
      FROM assignments a JOIN topics t ON t.id = a.topic_id`)

    const open = OpenAssignments.make(sql)
    const read = yield* AssignmentReads.make(sql)

    const openOf = Effect.fnUntraced(function* (creatorKey: string, limit: number) {
      const rows = yield* sql<AssignmentWithTopicRow>`${open.makeRoundsClause(creatorKey, limit)}
        ${inContext} WHERE a.id IN (SELECT id FROM rounds ${limitClause(sql, limit)}) ORDER BY a.created_at, a.id`
      const [counted] = rows.length < limit ? [] : yield* open.count(creatorKey, limit + maxCountedFurtherAssignments)
      return {
        assignments: rows.map(assignmentInContextFromRow),
        further: Math.max(0, (counted?.total ?? 0) - rows.length)
      }
    })

    const ids = (rows: ReadonlyArray<{ readonly id: ShareId }>) => rows.map(({ id }) => id)

    /** Returns due assignments, and gives each organization an equal share of the limit. */
    const inTurn = (environment: Environment, now: string, limit: number, dueAt: string) => {
      const rows = `assignments WHERE ${makeEnvironmentCondition(environment)} AND ${dueAt} IS NOT NULL`
      const queue = { rows, owner: "organization_id", dueAt }
      const first = sql.literal(`${makeFirstDueAtSubquery(queue)}, id`)
      return sql<DueRow>`${makeDueRowsClause(sql, queue, { now, limit, first, locked: sql.literal("") })}
        SELECT owner, id FROM due`
    }

    /**
     * Returns the due assignments. If more assignments are due than `limit`, a second query gives each organization an
     * equal share. The query without shares is cheaper than the query with shares, because it reads only due rows.
     */
    const due = Effect.fnUntraced(function* (environment: Environment, now: string, limit: number) {
      const all = yield* sql<DueRow>`SELECT organization_id AS owner, id FROM assignments
        WHERE ${sql.literal(makeEnvironmentCondition(environment))} AND due_at <= ${now} ORDER BY due_at, id ${limitClause(sql, limit + 1)}`
      return all.length <= limit ? all : yield* inTurn(environment, now, limit, "due_at")
    })

    return AssignmentStore.of({
      find: (id) =>
        Effect.orDie(
          Effect.flatMap(read(id), (row) => {
            if (row === undefined) return Effect.succeedNone
            const found = assignmentInContextFromRow(row)
            return Effect.as(addIdsToSpan(found.assignment), Option.some(found))
          })
        ),

      modify: (id, decide) =>
        Effect.flatMap(changes.one(id, decide), (decided) =>
          Option.isNone(decided)
            ? Effect.succeed(Option.none())
            : Effect.map(
                Effect.tap(Effect.fromResult(decided.value), ({ after }) => addIdsToSpan(after)),
                Option.some
              )
        ),

      modifyAll: (ids, decide) =>
        Effect.tap(changes.all(ids, decide), (modified) =>
          Effect.forEach(modified, ({ after }) => addIdsToSpan(after))
        ),

      due: (environment, at, limit, mayBegin = true) => {
        const now = Instant.toIso(at)
        const rows = mayBegin ? due(environment, now, limit) : inTurn(environment, now, limit, dueWithoutDraft)
        return Effect.orDie(Effect.map(rows, byOrganization))
      },

      putOff: (latest, step, limit) => Effect.orDie(putOff(sql, latest, step, limit)),

      nextDue: (among) =>
        Effect.orDie(
          Effect.map(
            Effect.forEach(
              among,
              (environment) => sql<{ due_at: string }>`SELECT due_at FROM assignments
                WHERE ${sql.literal(makeEnvironmentCondition(environment))} AND due_at IS NOT NULL ORDER BY due_at LIMIT 1`
            ),
            (found) => {
              const [first] = found.flatMap((rows) => rows.map((row) => row.due_at)).toSorted()
              return Option.map(Option.fromUndefinedOr(first), Instant.fromIso)
            }
          )
        ),

      openOf: (creatorEmail, limit) => Effect.orDie(openOf(normalizeEmail(creatorEmail), limit)),

      allOf: (creatorEmail) =>
        Effect.orDie(
          Effect.map(
            sql<{ id: ShareId }>`SELECT id FROM assignments WHERE creator_key = ${normalizeEmail(creatorEmail)}`,
            ids
          )
        ),

      stalled: Effect.orDie(
        Effect.map(
          sql<{ id: ShareId }>`SELECT id FROM assignments
            WHERE generation_attempts > 0 AND generation_next_at IS NULL AND due_at IS NOT NULL ORDER BY id`,
          ids
        )
      ),

      forgetDrafts: (id) => transact(sql, forgetDrafts(sql, id))
    })
  })
)

/**
 * Returns the ids of assignments whose next draft attempt or next simulation step is scheduled too far in the future.
 * Each query uses the index on its due-time column.
 */
const putOff = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  latest: LatestPlausibleDueTimes,
  step: Instant.Instant,
  limit: number
) {
  const attempts = {
    due: sql.literal("generation_next_at"),
    isLeased: sql.literal("generation_running = 1"),
    attempts: sql.literal("generation_attempts")
  }
  const drafts = yield* sql<{ readonly id: ShareId }>`SELECT id FROM assignments
    WHERE ${makeDueTooLateCondition(sql, attempts, latest)} ${limitClause(sql, limit)}`
  const steps = yield* sql<{ readonly id: ShareId }>`SELECT id FROM assignments
    WHERE simulation_next_at > ${Instant.toIso(step + clockToleranceMillis)} ${limitClause(sql, limit)}`
  return [...drafts, ...steps].map(({ id }) => id)
})

/**
 * Deletes all former drafts, and the revision request if it refers to a former draft. An erased assignment has no
 * current draft, so all its drafts are deleted.
 */
const forgetDrafts = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: ShareId) {
  yield* sql`UPDATE assignments SET revision_draft_id = NULL, revision_instructions = NULL
    WHERE id = ${id} AND revision_draft_id <> draft_id`
  yield* sql`DELETE FROM drafts WHERE share_id = ${id} AND number <> COALESCE(
    (SELECT draft_number FROM assignments WHERE id = ${id}), 0)`
})

interface DueRow {
  readonly owner: OrganizationId
  readonly id: ShareId
}

const byOrganization = (rows: ReadonlyArray<DueRow>): ReadonlyArray<OrganizationDueAssignments> => {
  const owners = new Map<OrganizationId, Array<ShareId>>()
  for (const { id, owner } of rows) {
    const ids = owners.get(owner)
    if (ids === undefined) owners.set(owner, [id])
    else ids.push(id)
  }
  return Array.from(owners, ([organizationId, ids]) => ({ organizationId, ids }))
}
