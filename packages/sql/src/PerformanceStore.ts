/** How a period's assignments have gone, read from one index that holds all of it, a page at a time. */
import type { Course } from "@partner-commentary/core/performance/Figures"
import { PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import type { PersonaId, ShareId } from "@partner-commentary/core/shared/Ids"
import { fromIso, toIso } from "@partner-commentary/core/shared/Instant"
import type { AssignmentStatus, FailureReason } from "@partner-commentary/core/topic/Assignment"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { fromIsoOrNull } from "./Columns.ts"

interface CourseRow {
  readonly id: ShareId
  readonly persona_id: PersonaId
  readonly created_at: string
  readonly status: AssignmentStatus
  readonly failure_reason: FailureReason | null
  readonly notified_at: string | null
  readonly responded_at: string | null
  readonly first_drafted_at: string | null
  readonly commentary_approved_at: string | null
}

export const layer = Layer.effect(
  PerformanceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return PerformanceStore.of({
      page: ({ environment, organizationId }, { end, start }, after, limit) => {
        const from =
          after === null
            ? sql`created_at >= ${toIso(start)}`
            : sql`(created_at, id) > (${toIso(after.createdAt)}, ${after.id})`
        return Effect.orDie(
          Effect.map(
            sql<CourseRow>`SELECT id, persona_id, created_at, status, failure_reason, notified_at, responded_at,
                first_drafted_at, commentary_approved_at
              FROM assignments WHERE organization_id = ${organizationId} AND environment = ${environment}
                AND ${from} AND created_at < ${toIso(end)}
              ORDER BY created_at, id LIMIT ${limit}`,
            (rows) => rows.map(fromRow)
          )
        )
      },

      namesOn: (ids) =>
        ids.length === 0
          ? Effect.succeed(new Map())
          : Effect.orDie(
              Effect.map(
                sql<{ readonly persona_id: PersonaId; readonly persona_name: string }>`SELECT persona_id, persona_name
                  FROM assignments WHERE id IN ${sql.in(ids)}`,
                (rows) => new Map(rows.map((row) => [row.persona_id, row.persona_name]))
              )
            )
    })
  })
)

const fromRow = (row: CourseRow): Course => ({
  id: row.id,
  personaId: row.persona_id,
  createdAt: fromIso(row.created_at),
  status: row.status,
  failureReason: row.failure_reason,
  notifiedAt: fromIsoOrNull(row.notified_at),
  respondedAt: fromIsoOrNull(row.responded_at),
  firstDraftedAt: fromIsoOrNull(row.first_drafted_at),
  approvedAt: fromIsoOrNull(row.commentary_approved_at)
})
