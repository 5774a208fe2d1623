/**
 * Counts due work. The counting queries use the same indexes as the queries of the workers. Each count stops at a
 * limit, so that the cost of a count does not grow with the backlog.
 */
import {
  type DueWorkCounts,
  type WaitingWorkCounts,
  WorkBacklog
} from "@partner-commentary/core/operations/WorkBacklog"
import { fromIso, toIso } from "@partner-commentary/core/shared/Instant"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { makeEnvironmentCondition } from "../assignments/AssignmentRow.ts"
import { limitClause } from "../database/Clauses.ts"
import { makeOwnersClause } from "../database/FairQueue.ts"
import { waitingMailsQueue as waitingMails } from "../mail/MailStore.ts"

export const layer = Layer.effect(
  WorkBacklog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const counts = Effect.fnUntraced(function* <Name extends string>(rows: Record<Name, Fragment>, limit: number) {
      const names = Object.keys(rows) as Array<Name>
      const columns = names.map(
        (name) =>
          sql`(SELECT CAST(COUNT(*) AS INTEGER) FROM (SELECT 1 FROM ${rows[name]} ${limitClause(sql, limit)}) AS counted) AS ${sql(name)}`
      )
      const [row] = yield* Effect.orDie(
        sql<Record<Name, number>>`${sql.literal(makeOwnersClause(waitingMails))} SELECT ${sql.csv(columns)}`
      )
      return Object.fromEntries(names.map((name) => [name, row?.[name] ?? 0])) as Record<Name, number>
    })

    const ofEnvironment = (environment: Environment, now: string) =>
      sql`assignments WHERE ${sql.literal(makeEnvironmentCondition(environment))} AND due_at <= ${now}`

    const mails = sql.literal(
      `owner JOIN mails ON COALESCE(mails.organization_id, '') = owner.id AND mails.state = 'waiting'`
    )
    const open = sql.literal(
      `webhooks WHERE circuit_breaker IS NOT NULL AND circuit_breaker NOT LIKE '%"probes":null%'`
    )

    return WorkBacklog.of({
      due: (at, limit) => {
        const now = toIso(at)
        return counts(
          {
            assignments: ofEnvironment("live", now),
            tests: ofEnvironment("test", now),
            mails: sql`${mails} WHERE mails.due_at <= ${now}`,
            media: sql`media_jobs WHERE due_at <= ${now}`,
            recoveries: sql`redeliveries WHERE done_at IS NULL AND last_batch_at <= ${now}`
          } satisfies Record<keyof DueWorkCounts, Fragment>,
          limit
        )
      },

      waiting: (at, limit) => {
        const now = toIso(at)
        return counts(
          {
            mails,
            // The ORDER BY clause makes SQLite use the index on ids. Without the ORDER BY clause, SQLite would read
            // every open assignment from the index on due times.
            stalledDrafts: sql.literal(
              "assignments WHERE generation_attempts > 0 AND generation_next_at IS NULL AND due_at IS NOT NULL ORDER BY id"
            ),
            openCircuits: sql`${open} AND paused_until > ${now}`,
            halfOpenCircuits: sql`${open} AND (paused_until IS NULL OR paused_until <= ${now})`
          } satisfies Record<keyof WaitingWorkCounts, Fragment>,
          limit
        )
      },

      mailsToRetry: Effect.map(
        Effect.orDie(sql<{ readonly count: number; readonly oldest: string; readonly reason: string }>`
          WITH failed AS (
            SELECT id, created_at, due_at, reason FROM mails WHERE state = 'waiting' AND attempts >= 1 AND reason IS NOT NULL)
          SELECT CAST(COUNT(*) AS INTEGER) AS count, MIN(created_at) AS oldest,
            (SELECT reason FROM failed ORDER BY due_at DESC, id LIMIT 1) AS reason
          FROM failed HAVING COUNT(*) > 0`),
        ([row]) =>
          Option.map(Option.fromUndefinedOr(row), ({ count, oldest, reason }) => {
            return { count, oldest: fromIso(oldest), lastReason: reason }
          })
      ),

      draftsToRetry: Effect.map(
        Effect.orDie(sql<{ readonly count: number; readonly attempts: number }>`
          SELECT CAST(COUNT(*) AS INTEGER) AS count, MAX(generation_attempts) AS attempts FROM assignments
          WHERE due_at IS NOT NULL AND generation_attempts > 0 AND generation_next_at IS NOT NULL AND generation_running = 0
          HAVING COUNT(*) > 0`),
        ([row]) =>
          Option.map(Option.fromUndefinedOr(row), ({ attempts, count }) => {
            return { count, mostAttempts: attempts }
          })
      )
    })
  })
)
