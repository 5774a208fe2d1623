/** Reads an assignment's timeline from the columns of the assignment. */
import type { AssignmentTimeline } from "@partner-commentary/core/performance/Metrics"
import type { AssignmentStatus, FailureReason } from "@partner-commentary/core/topic/Assignment"
import { failureReasonFromRow } from "../assignments/AssignmentRow.ts"
import { fromIsoOrNull } from "../database/Columns.ts"

export interface TimelineRow {
  readonly status: AssignmentStatus
  readonly failure_reason: FailureReason | null
  readonly was_cancelled: number
  readonly notified_at: string | null
  readonly responded_at: string | null
  readonly first_drafted_at: string | null
  readonly commentary_approved_at: string | null
}

export const fromRow = (row: TimelineRow): AssignmentTimeline => ({
  status: row.status,
  failureReason: failureReasonFromRow(row),
  notifiedAt: fromIsoOrNull(row.notified_at),
  respondedAt: fromIsoOrNull(row.responded_at),
  firstDraftedAt: fromIsoOrNull(row.first_drafted_at),
  approvedAt: fromIsoOrNull(row.commentary_approved_at)
})
