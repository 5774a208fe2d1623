/** Stores the responses of idempotent requests, and the claims of running idempotent requests. */
import { type IdempotencyClaim, IdempotencyStore } from "@partner-commentary/core/idempotency/IdempotencyStore"
import { toIso } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

interface AnswerRow {
  readonly fingerprint: string
  readonly status: number
  readonly location: string | null
  readonly body: string
  readonly is_encrypted: number
}

export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The statement returns no row if the table already contains an unexpired claim or response with this id. */
    const claimed = ({ at, fingerprint, id, until }: IdempotencyClaim, where: Fragment) =>
      sql`INSERT INTO stored_responses AS held (id, fingerprint, until_at) SELECT ${id}, ${fingerprint}, ${toIso(until)} ${where}
        ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, until_at = excluded.until_at,
          status = NULL, location = NULL, body = NULL, is_encrypted = 0
        WHERE held.until_at <= ${toIso(at)}
        RETURNING 1 AS claimed`

    /**
     * On Postgres, an insert would wait for a concurrent request with the same id, and would occupy a connection
     * meanwhile. To avoid waiting for a concurrent request, the store first tries to take an advisory lock.
     */
    const attempt = sql.onDialectOrElse({
      pg: () => (claim: IdempotencyClaim) =>
        sql<{ readonly outcome: "claimed" | "kept" | "running" }>`
          WITH own AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtextextended(${claim.id}, 0)) AS free),
          taken AS (${claimed(claim, sql`FROM own WHERE free`)})
          SELECT CASE WHEN NOT free THEN 'running' WHEN EXISTS (SELECT FROM taken) THEN 'claimed' ELSE 'kept' END AS outcome
          FROM own`,
      orElse: () => (claim: IdempotencyClaim) =>
        Effect.map(claimed(claim, sql`WHERE TRUE`), ({ length }) => [
          { outcome: length === 1 ? "claimed" : "kept" } as const
        ])
    })

    return IdempotencyStore.of({
      find: (id, at) =>
        Effect.orDie(
          Effect.map(
            sql<AnswerRow>`SELECT fingerprint, status, location, body, is_encrypted FROM stored_responses
              WHERE id = ${id} AND until_at > ${toIso(at)} AND status IS NOT NULL`,
            ([row]) => {
              if (row === undefined) return Option.none()
              const { is_encrypted, ...answer } = row
              return Option.some({ ...answer, encrypted: is_encrypted === 1 })
            }
          )
        ),

      claim: (claim) => Effect.orDie(Effect.map(attempt(claim), ([row]) => row?.outcome ?? "running")),

      keep: (id, { body, encrypted, location, status }) =>
        Effect.orDie(
          Effect.asVoid(sql`UPDATE stored_responses
            SET status = ${status}, location = ${location}, body = ${body}, is_encrypted = ${encrypted ? 1 : 0} WHERE id = ${id}`)
        )
    })
  })
)
