/**
 * Writes a submission on SQLite with one statement for each table, because an SQLite statement is only a function call.
 */
import { toIso } from "@partner-commentary/core/shared/Instant"
import { makeNewAssignments, type Submission } from "@partner-commentary/core/topic/Submission"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { toNewAssignmentRow } from "../assignments/AssignmentRow.ts"
import { valuesClause } from "../database/Clauses.ts"
import { makeIsoFormatter } from "../database/Columns.ts"
import * as Writes from "./SubmissionWrites.ts"

export const writeSubmission = Effect.fnUntraced(function* (
  sql: SqlClient,
  submission: Submission
): Effect.fn.Return<Writes.WrittenSubmission, SqlError> {
  const { candidates, fingerprint, topic, windowUntil } = submission
  const until_at = toIso(windowUntil)
  const windows = candidates.map(({ persona, shareId }) => ({
    organization_id: topic.organizationId,
    environment: topic.environment,
    persona_id: persona.id,
    fingerprint,
    topic_id: topic.id,
    share_id: shareId,
    until_at
  }))
  const holders = Writes.toWindowHolders(
    windows.length === 0
      ? []
      : yield* Writes.insertDuplicateWindows(sql, sql`${valuesClause(sql, windows)}`, sql`${toIso(topic.createdAt)}`)
  )
  const created = makeNewAssignments(submission, holders)
  if (created.length === 0) return { holders, ...Writes.zeroSubmissionUsage }

  const iso = makeIsoFormatter()
  yield* sql`INSERT INTO topics ${sql.insert(Writes.makeTopicRow(submission, created.length))}`
  yield* sql`INSERT INTO assignments ${valuesClause(
    sql,
    created.map((one) => toNewAssignmentRow(one, iso))
  )}`
  // The expression for the number of topics must be an aggregate. MIN(1) is correct, because all rows belong to one
  // topic.
  const sent = {
    rows: sql`(SELECT * FROM assignments WHERE topic_id = ${topic.id}) AS sent`,
    topicCount: sql.literal("MIN(1)")
  }
  if (topic.environment === "live") yield* Writes.insertRequestMails(sql, sent)
  const [usage = Writes.zeroSubmissionUsage.usage] = yield* Writes.addUsage(sql, topic, sent)
  const [stored = null] =
    submission.storage === null
      ? []
      : yield* Writes.addTestStorage(sql, topic, sql`(SELECT * FROM topics WHERE id = ${topic.id}) AS written`)
  yield* Writes.addCounters(sql, topic, sent)
  return { holders, usage, stored }
})
