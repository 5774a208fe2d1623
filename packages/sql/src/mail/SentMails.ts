/** Marks mails as sent. On Postgres, mails that are sent at the same time share one statement. */
import type { Mail } from "@partner-commentary/core/mail/Mail"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlClient } from "effect/sql/SqlClient"
import * as BatchLoader from "../database/BatchLoader.ts"
import { toPostgresArray } from "../database/Columns.ts"
import { isInTransaction, runWithSharedCommit } from "../database/Transaction.ts"

interface Sent {
  readonly mail: Pick<Mail, "id" | "ticket" | "attempts">
  readonly at: Instant.Instant
}

/** The result is false if a later send attempt has claimed the mail, or if the mail no longer waits to be sent. */
type Settle = (sent: Sent) => Effect.Effect<boolean>

export const make = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => settleBatched(sql), orElse: () => Effect.succeed(settleOne(sql)) })

/**
 * The SQL text without parameters that marks a mail as sent. The batch statement and the statement for a single mail
 * use the same text.
 */
const sentColumns = "state = 'sent', reason = NULL"

const settleOne =
  (sql: SqlClient): Settle =>
  ({ at, mail: { attempts, id, ticket } }) =>
    Effect.orDie(
      Effect.map(
        runWithSharedCommit(
          sql,
          sql`UPDATE mails SET ${sql.literal(sentColumns)}, settled_at = ${Instant.toIso(at)}, attempts = ${attempts}
            WHERE id = ${id} AND claim_number = ${ticket} AND state = 'waiting' RETURNING id`
        ),
        ({ length }) => length > 0
      )
    )

/** The maximum number of mails in one statement. */
const maxBatch = 100

/**
 * The batch statement skips mails that another transaction has locked. Each mail that the batch statement skipped gets
 * its own statement.
 */
const settleBatched = Effect.fnUntraced(function* (sql: SqlClient) {
  const ask = Effect.fnUntraced(function* (batch: ReadonlyArray<Sent>) {
    const rows = yield* sql<{ readonly id: string; readonly claim_number: number }>`WITH given AS MATERIALIZED (
        SELECT mails.id, given.settled_at, given.attempts FROM UNNEST(
          CAST(${toPostgresArray(batch.map(({ mail }) => mail.id))} AS TEXT[]),
          CAST(${toPostgresArray(batch.map(({ mail }) => mail.ticket))} AS INTEGER[]),
          CAST(${toPostgresArray(batch.map(({ at }) => Instant.toIso(at)))} AS TEXT[]),
          CAST(${toPostgresArray(batch.map(({ mail }) => mail.attempts))} AS INTEGER[])
        ) AS given (id, claim_number, settled_at, attempts)
        JOIN mails ON mails.id = given.id AND mails.claim_number = given.claim_number AND state = 'waiting'
        FOR NO KEY UPDATE OF mails SKIP LOCKED)
      UPDATE mails SET ${sql.literal(sentColumns)}, settled_at = given.settled_at, attempts = given.attempts
      FROM given WHERE mails.id = given.id RETURNING mails.id, mails.claim_number`
    const settled = new Set(rows.map(({ claim_number, id }) => `${id} ${claim_number}`))
    return batch.map(({ mail }) => Exit.succeed(settled.has(`${mail.id} ${mail.ticket}`)))
  }, Effect.orDie)
  const settle = yield* BatchLoader.make(ask, { limit: maxBatch })
  const alone = settleOne(sql)
  return (sent: Sent) =>
    Effect.withFiber((fiber) =>
      isInTransaction(sql, fiber)
        ? alone(sent)
        : Effect.flatMap(settle(sent), (isSettled) => (isSettled ? Effect.succeed(true) : alone(sent)))
    )
})
