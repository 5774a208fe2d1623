/**
 * Maps an assignment to a row with one column for each field. The mapping is written by hand for speed, because
 * assignments are read and written more often than other rows.
 */

import type { SimulationPath } from "@partner-commentary/core/persona/TestPersonas"
import type {
  CommentaryId,
  DraftId,
  OrganizationId,
  PersonaId,
  ShareId,
  TopicId
} from "@partner-commentary/core/shared/Ids"
import { fromIso, type Instant, toIso, toIsoOrNull } from "@partner-commentary/core/shared/Instant"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import type { Assignment, AssignmentStatus, FailureReason } from "@partner-commentary/core/topic/Assignment"
import type { AssignmentWithTopic } from "@partner-commentary/core/topic/AssignmentStore"
import type { PublicAssignment } from "@partner-commentary/core/topic/TopicStore"
import { fromIsoOrNull, normalizeEmail } from "../database/Columns.ts"

/** The columns of an assignment that partners read. */
export interface PublicAssignmentRow {
  readonly id: ShareId
  readonly persona_id: PersonaId
  readonly persona_name: string
  readonly persona_image_url: string
  readonly created_at: string
  readonly status: AssignmentStatus
  readonly status_updated_at: string
  readonly commentary_id: CommentaryId | null
  readonly commentary_content: string | null
  readonly commentary_draft_id: DraftId | null
  readonly commentary_approved_at: string | null
  readonly partner_approved_at: string | null
  readonly commentary_audio_url: string | null
  readonly commentary_video_url: string | null
  readonly failure_reason: FailureReason | null
  readonly failure_at: string | null
  readonly was_cancelled: number
}

/**
 * The database stores a cancellation as a withdrawal with a flag. Processes of older versions also read the
 * `failure_reason` column, but do not know cancellations.
 */
export const failureReasonFromRow = (
  row: Pick<PublicAssignmentRow, "failure_reason" | "was_cancelled">
): FailureReason | null => (row.was_cancelled === 1 ? "cancelled" : row.failure_reason)

/**
 * Returns an SQL condition that contains the environment as literal text. With a bound value, SQLite would prepare the
 * statement again at every run, because SQLite chooses partial indexes by the value.
 */
export const makeEnvironmentCondition = (environment: Environment): string => `environment = '${environment}'`

export interface AssignmentRow extends PublicAssignmentRow {
  readonly topic_id: TopicId
  readonly organization_id: OrganizationId
  readonly environment: Environment
  readonly position: number
  readonly creator_name: string
  readonly creator_email: string
  readonly notified_at: string | null
  readonly respond_by: string
  readonly deadline_is_fixed: number
  readonly perspective: string | null
  readonly responded_at: string | null
  readonly decline_reason: string | null
  readonly generation_claim_number: number
  readonly generation_running: number
  readonly generation_attempts: number
  readonly generation_next_at: string | null
  readonly generation_give_up_at: string | null
  readonly revision_draft_id: DraftId | null
  readonly revision_instructions: string | null
  readonly draft_id: DraftId | null
  readonly draft_number: number | null
  readonly draft_content: string | null
  readonly draft_created_at: string | null
  readonly first_drafted_at: string | null
  readonly approve_by: string | null
  readonly reminders: number
  readonly withdraw_reason: string | null
  readonly simulation_path: SimulationPath | null
  readonly simulation_next_at: string | null
  readonly due_at: string | null
}

/**
 * A `fixed` column never changes after the submission. `findChangedAssignmentColumns` writes the `changeable` columns,
 * and the `simulated` columns of an assignment with a simulation.
 */
type ColumnKind = "fixed" | "changeable" | "simulated"

const publicAssignmentColumns = {
  id: "fixed",
  persona_id: "fixed",
  persona_name: "fixed",
  persona_image_url: "fixed",
  created_at: "fixed",
  status: "changeable",
  status_updated_at: "changeable",
  commentary_id: "changeable",
  commentary_content: "changeable",
  commentary_draft_id: "changeable",
  commentary_approved_at: "changeable",
  partner_approved_at: "changeable",
  commentary_audio_url: "changeable",
  commentary_video_url: "changeable",
  failure_reason: "changeable",
  failure_at: "changeable",
  was_cancelled: "changeable"
} as const satisfies Readonly<Record<keyof PublicAssignmentRow, ColumnKind>>

/** Lists every column, so that the compiler reports a column that a query or an update would omit. */
const assignmentColumns = {
  ...publicAssignmentColumns,
  topic_id: "fixed",
  organization_id: "fixed",
  environment: "fixed",
  position: "fixed",
  creator_name: "changeable",
  creator_email: "changeable",
  notified_at: "changeable",
  respond_by: "changeable",
  deadline_is_fixed: "fixed",
  perspective: "changeable",
  responded_at: "changeable",
  decline_reason: "changeable",
  generation_claim_number: "changeable",
  generation_running: "changeable",
  generation_attempts: "changeable",
  generation_next_at: "changeable",
  generation_give_up_at: "changeable",
  revision_draft_id: "changeable",
  revision_instructions: "changeable",
  draft_id: "changeable",
  draft_number: "changeable",
  draft_content: "changeable",
  draft_created_at: "changeable",
  first_drafted_at: "changeable",
  approve_by: "changeable",
  reminders: "changeable",
  withdraw_reason: "changeable",
  simulation_path: "simulated",
  simulation_next_at: "simulated",
  due_at: "changeable"
} as const satisfies Readonly<Record<keyof AssignmentRow, ColumnKind>>

/** The columns of a `PublicAssignmentRow`, for a statement that names the table `a`. */
export const publicAssignmentColumnsSql = Object.keys(publicAssignmentColumns)
  .map((name) => `a.${name}`)
  .join(", ")

export const publicAssignmentFromRow = (row: PublicAssignmentRow): PublicAssignment => ({
  id: row.id,
  persona: { id: row.persona_id, name: row.persona_name, imageUrl: row.persona_image_url },
  createdAt: fromIso(row.created_at),
  status: row.status,
  statusUpdatedAt: fromIso(row.status_updated_at),
  commentary:
    row.commentary_id === null
      ? null
      : {
          id: row.commentary_id,
          content: row.commentary_content as string,
          draftId: row.commentary_draft_id as DraftId,
          approvedAt: fromIso(row.commentary_approved_at as string),
          partnerApprovedAt: fromIsoOrNull(row.partner_approved_at),
          audioUrl: row.commentary_audio_url,
          videoUrl: row.commentary_video_url
        },
  failure: failureOf(row)
})

const failureOf = (row: PublicAssignmentRow): PublicAssignment["failure"] => {
  const reason = failureReasonFromRow(row)
  return reason === null ? null : { reason, at: fromIso(row.failure_at as string) }
}

export const assignmentFromRow = (row: AssignmentRow): Assignment => ({
  ...publicAssignmentFromRow(row),
  topicId: row.topic_id,
  organizationId: row.organization_id,
  environment: row.environment,
  position: row.position,
  creator: { name: row.creator_name, email: row.creator_email },
  notifiedAt: fromIsoOrNull(row.notified_at),
  respondBy: fromIso(row.respond_by),
  isDeadlineFixed: row.deadline_is_fixed === 1,
  perspective: row.perspective,
  respondedAt: fromIsoOrNull(row.responded_at),
  declineReason: row.decline_reason,
  generation: {
    ticket: row.generation_claim_number,
    running: row.generation_running === 1,
    attempts: row.generation_attempts,
    nextAt: fromIsoOrNull(row.generation_next_at),
    giveUpAt: fromIsoOrNull(row.generation_give_up_at),
    revision:
      row.revision_draft_id === null
        ? null
        : { draftId: row.revision_draft_id, instructions: row.revision_instructions as string }
  },
  draft:
    row.draft_id === null
      ? null
      : {
          id: row.draft_id,
          number: row.draft_number as number,
          content: row.draft_content as string,
          createdAt: fromIso(row.draft_created_at as string)
        },
  firstDraftedAt: fromIsoOrNull(row.first_drafted_at),
  approveBy: fromIsoOrNull(row.approve_by),
  reminders: row.reminders,
  withdrawReason: row.withdraw_reason,
  simulation:
    row.simulation_path === null ? null : { path: row.simulation_path, nextAt: fromIsoOrNull(row.simulation_next_at) },
  dueAt: fromIsoOrNull(row.due_at)
})

/** The columns of a new assignment, except the columns that keep their default values. */
export const toNewAssignmentRow = (assignment: Assignment, iso: (instant: Instant) => string) => ({
  topic_id: assignment.topicId,
  position: assignment.position,
  id: assignment.id,
  organization_id: assignment.organizationId,
  environment: assignment.environment,
  persona_id: assignment.persona.id,
  persona_name: assignment.persona.name,
  persona_image_url: assignment.persona.imageUrl,
  creator_name: assignment.creator.name,
  creator_email: assignment.creator.email,
  creator_key: normalizeEmail(assignment.creator.email),
  created_at: iso(assignment.createdAt),
  status: assignment.status,
  status_updated_at: iso(assignment.statusUpdatedAt),
  notified_at: assignment.notifiedAt === null ? null : iso(assignment.notifiedAt),
  respond_by: iso(assignment.respondBy),
  deadline_is_fixed: assignment.isDeadlineFixed ? 1 : 0,
  due_at: assignment.dueAt === null ? null : iso(assignment.dueAt),
  ...toSimulationColumns(assignment)
})

/**
 * Returns the simulation columns, or no columns if the assignment has no simulation. Live assignments never have a
 * simulation.
 */
const toSimulationColumns = ({ simulation }: Assignment): ChangedRow =>
  simulation === null ? {} : { simulation_path: simulation.path, simulation_next_at: toIsoOrNull(simulation.nextAt) }

type ColumnValue = string | number | null

type ChangedRow = Readonly<Record<string, ColumnValue>>

type ChangeableColumn = {
  [Name in keyof AssignmentRow]: (typeof assignmentColumns)[Name] extends "changeable" ? Name : never
}[keyof AssignmentRow]

/**
 * Returns only the changed columns, so that the database does not update the indexes of unchanged columns. The result
 * has at least one column, because an empty SET clause is invalid.
 */
export const findChangedAssignmentColumns = (before: Assignment, after: Assignment): ChangedRow => {
  const former = toChangedRow(before)
  const touched = Object.entries(toChangedRow(after)).filter(([column, value]) => value !== former[column])
  return touched.length === 0 ? { status: after.status } : Object.fromEntries(touched)
}

/**
 * Returns the columns of an assignment that may change. The creator's name and address change only when the creator is
 * erased or gets another address.
 */
const toChangedRow = (assignment: Assignment): ChangedRow & Readonly<Record<ChangeableColumn, ColumnValue>> => ({
  creator_name: assignment.creator.name,
  creator_email: assignment.creator.email,
  creator_key: normalizeEmail(assignment.creator.email),
  status: assignment.status,
  status_updated_at: toIso(assignment.statusUpdatedAt),
  notified_at: toIsoOrNull(assignment.notifiedAt),
  respond_by: toIso(assignment.respondBy),
  perspective: assignment.perspective,
  responded_at: toIsoOrNull(assignment.respondedAt),
  decline_reason: assignment.declineReason,
  generation_claim_number: assignment.generation.ticket,
  generation_running: assignment.generation.running ? 1 : 0,
  generation_attempts: assignment.generation.attempts,
  generation_next_at: toIsoOrNull(assignment.generation.nextAt),
  generation_give_up_at: toIsoOrNull(assignment.generation.giveUpAt),
  revision_draft_id: assignment.generation.revision?.draftId ?? null,
  revision_instructions: assignment.generation.revision?.instructions ?? null,
  draft_id: assignment.draft?.id ?? null,
  draft_number: assignment.draft?.number ?? null,
  draft_content: assignment.draft?.content ?? null,
  draft_created_at: toIsoOrNull(assignment.draft?.createdAt ?? null),
  first_drafted_at: toIsoOrNull(assignment.firstDraftedAt),
  approve_by: toIsoOrNull(assignment.approveBy),
  reminders: assignment.reminders,
  commentary_id: assignment.commentary?.id ?? null,
  commentary_content: assignment.commentary?.content ?? null,
  commentary_draft_id: assignment.commentary?.draftId ?? null,
  commentary_approved_at: toIsoOrNull(assignment.commentary?.approvedAt ?? null),
  partner_approved_at: toIsoOrNull(assignment.commentary?.partnerApprovedAt ?? null),
  commentary_audio_url: assignment.commentary?.audioUrl ?? null,
  commentary_video_url: assignment.commentary?.videoUrl ?? null,
  failure_reason: assignment.failure?.reason === "cancelled" ? "withdrawn" : (assignment.failure?.reason ?? null),
  was_cancelled: assignment.failure?.reason === "cancelled" ? 1 : 0,
  failure_at: toIsoOrNull(assignment.failure?.at ?? null),
  withdraw_reason: assignment.withdrawReason,
  due_at: toIsoOrNull(assignment.dueAt),
  ...toSimulationColumns(assignment)
})

/** The columns of an assignment, with the topic columns that mails and drafts need. */
export interface AssignmentWithTopicRow extends AssignmentRow {
  readonly topic_id: TopicId
  readonly topic_content: string
  readonly organization_name: string
}

/**
 * The columns of an `AssignmentWithTopicRow`, for a statement that names the tables `a` and `t`. On SQLite, rows with
 * named columns are faster to read than rows of `a.*`.
 */
export const assignmentWithTopicColumns = [
  ...Object.keys(assignmentColumns).map((name) => `a.${name}`),
  "t.content AS topic_content",
  "t.organization_name"
].join(", ")

export const assignmentInContextFromRow = (row: AssignmentWithTopicRow): AssignmentWithTopic => ({
  assignment: assignmentFromRow(row),
  topic: { id: row.topic_id, content: row.topic_content, organizationName: row.organization_name }
})
