/**
 * Stores media jobs until they succeed or finally fail. The due times of the table are the queue: when a worker claims
 * a job, the due time becomes the end of the worker's lease.
 */

import type { MediaJob } from "@partner-commentary/core/commentary/MediaJob"
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import type { ShareId, TopicId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { MediaKind, MediaRequest } from "@partner-commentary/core/topic/MediaRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { forUpdateSkipLocked, limitClause, makeListContainsCondition } from "../database/Clauses.ts"
import { makeDueTooLateCondition } from "../database/DueTimes.ts"
import { makeDueRowsClause, makeFirstDueAtSubquery } from "../database/FairQueue.ts"

interface MediaJobRow {
  readonly share_id: ShareId
  readonly kind: MediaKind
  readonly name: string
  readonly attempts: number
  readonly claim_number: number
}

export const layer = Layer.effect(
  MediaJobStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const queued = {
      due: sql.literal("due_at"),
      isLeased: sql.literal("is_leased = 1"),
      attempts: sql.literal("attempts")
    }

    return MediaJobStore.of({
      claim: (at, lease, kinds, limit) => {
        const now = Instant.toIso(at)
        const queue = makeQueue(kinds)
        const running = sql`SELECT COUNT(*) FROM media_jobs
          WHERE is_leased = 1 AND ${sql.literal(queue.owner)} = owner.id AND due_at > ${now}`
        const first = sql`(${running}), ${sql.literal(makeFirstDueAtSubquery(queue))}, id`
        return Effect.orDie(
          Effect.map(
            sql<MediaJobRow>`${makeDueRowsClause(sql, queue, { now, limit, first, locked: forUpdateSkipLocked(sql) })}
              UPDATE media_jobs
              SET due_at = ${Instant.toIso(lease)}, is_leased = 1, attempts = attempts + 1, claim_number = claim_number + 1
              WHERE (share_id, kind) IN (SELECT share_id, kind FROM due)
              RETURNING share_id, kind, name, attempts, claim_number`,
            (rows) => rows.map(fromRow)
          )
        )
      },

      settle: (job, outcome, at) => {
        const now = Instant.toIso(at)
        const next =
          outcome.state === "failed"
            ? sql`state = 'failed', due_at = NULL, settled_at = ${now}, reason = ${outcome.reason}`
            : outcome.state === "waiting"
              ? sql`due_at = ${Instant.toIso(outcome.until)}, reason = ${outcome.reason}`
              : sql`due_at = ${now}, attempts = attempts - 1`
        return Effect.orDie(
          Effect.asVoid(
            sql`UPDATE media_jobs SET is_leased = 0, ${next} WHERE share_id = ${job.shareId}
              AND kind = ${job.kind} AND claim_number = ${job.ticket} AND is_leased = 1
              AND attempts = ${job.attempts} AND state = 'waiting'`
          )
        )
      },

      repairDueTimes: (latest) =>
        Effect.orDie(
          Effect.asVoid(
            sql`UPDATE media_jobs SET due_at = CASE is_leased WHEN 1 THEN ${Instant.toIso(latest.leased)}
                ELSE ${Instant.toIso(latest.now)} END
              WHERE due_at IS NOT NULL AND ${makeDueTooLateCondition(sql, queued, latest)}`
          )
        ),

      nextDue: (kinds) =>
        Effect.orDie(
          Effect.map(
            sql<{ readonly due_at: string }>`SELECT due_at FROM media_jobs
              WHERE due_at IS NOT NULL AND ${sql.in("kind", kinds)} ORDER BY due_at LIMIT 1`,
            ([row]) => (row === undefined ? Option.none() : Option.some(Instant.fromIso(row.due_at)))
          )
        ),

      failed: (limit) =>
        Effect.orDie(
          Effect.map(
            sql<MediaJobRow & { readonly reason: string; readonly settled_at: string }>`SELECT * FROM media_jobs
              WHERE state = 'failed' ORDER BY settled_at DESC, share_id DESC, kind DESC ${limitClause(sql, limit)}`,
            (rows) =>
              rows.map((row) => ({ job: fromRow(row), reason: row.reason, at: Instant.fromIso(row.settled_at) }))
          )
        ),

      restart: (shareId, at) => {
        const which =
          shareId === null
            ? sql`state = 'failed'`
            : sql`share_id = ${shareId} AND (state = 'failed' OR (state = 'waiting' AND is_leased = 0))`
        return Effect.orDie(
          Effect.map(
            sql`UPDATE media_jobs SET state = 'waiting', due_at = ${Instant.toIso(at)}, is_leased = 0, attempts = 0,
              settled_at = NULL, reason = NULL WHERE ${which} RETURNING kind`,
            (rows) => rows.length
          )
        )
      }
    })
  })
)

/** Returns the queue of waiting media jobs of the given kinds, in which each organization is an owner. */
const makeQueue = (kinds: ReadonlyArray<MediaKind>) => ({
  rows: `media_jobs WHERE due_at IS NOT NULL AND kind IN (${kinds.map((kind) => `'${kind}'`).join()})`,
  owner: "COALESCE(organization_id, '')",
  dueAt: "due_at",
  key: ["share_id", "kind"]
})

/** Queues a media job for each requested output type. New jobs are due immediately, and existing jobs do not change. */
export const insertMediaJobs = (
  sql: SqlClient.SqlClient,
  { id, topicId }: { readonly id: ShareId; readonly topicId: TopicId },
  mediaRequests: ReadonlyArray<MediaRequest>,
  at: Instant.Instant
) =>
  mediaRequests.map(
    ({ kind, name }) => sql`INSERT INTO media_jobs (share_id, kind, name, due_at, organization_id)
      SELECT ${id}, ${kind}, ${name}, ${Instant.toIso(at)}, organization_id FROM topics
      WHERE id = ${topicId} AND ${makeListContainsCondition(sql, "output_types", kind)}
      ON CONFLICT (share_id, kind) DO NOTHING`
  )

/**
 * Marks the media job of a finished file as done. The caller stores the file's URL in the transaction that marks the
 * media job.
 */
export const markJobReady = (sql: SqlClient.SqlClient, shareId: ShareId, kind: MediaKind, at: Instant.Instant) =>
  sql`UPDATE media_jobs SET state = 'ready', due_at = NULL, is_leased = 0, settled_at = ${Instant.toIso(at)}, reason = NULL
    WHERE share_id = ${shareId} AND kind = ${kind} AND state <> 'ready'`

const fromRow = ({ attempts, claim_number, kind, name, share_id }: MediaJobRow): MediaJob => ({
  shareId: share_id,
  kind,
  name,
  attempts,
  ticket: claim_number
})
