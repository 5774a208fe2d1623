/** Kept answers, and the claims that they are kept under. */
import { IdempotencyStore } from "@partner-commentary/core/idempotency/IdempotencyStore"
import { toIso } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"

interface AnswerRow {
  readonly fingerprint: string
  readonly status: number
  readonly location: string | null
  readonly body: string
  readonly sealed: number
}

export const layer = Layer.effect(
  IdempotencyStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Where writers wait for each other's rows, an insert would wait with its connection: a lock that it may not get says so at once. */
    const isFree = (id: string) =>
      sql.onDialectOrElse({
        pg: () =>
          Effect.map(
            sql<{ readonly free: boolean }>`SELECT pg_try_advisory_xact_lock(hashtextextended(${id}, 0)) AS free`,
            ([row]) => row?.free === true
          ),
        orElse: () => Effect.succeed(true)
      })

    return IdempotencyStore.of({
      find: (id, at) =>
        Effect.orDie(
          Effect.map(
            sql<AnswerRow>`SELECT fingerprint, status, location, body, sealed FROM kept_answers
              WHERE id = ${id} AND until_at > ${toIso(at)} AND status IS NOT NULL`,
            ([row]) => (row === undefined ? Option.none() : Option.some({ ...row, sealed: row.sealed === 1 }))
          )
        ),

      claim: Effect.fnUntraced(function* ({ at, fingerprint, id, until }) {
        if (!(yield* isFree(id))) return "running"
        const claimed = yield* sql`INSERT INTO kept_answers AS held (id, fingerprint, until_at)
          VALUES (${id}, ${fingerprint}, ${toIso(until)})
          ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint, until_at = excluded.until_at,
            status = NULL, location = NULL, body = NULL, sealed = 0
          WHERE held.until_at <= ${toIso(at)}
          RETURNING 1 AS claimed`
        return claimed.length === 1 ? "claimed" : "kept"
      }, Effect.orDie),

      keep: (id, { body, location, sealed, status }) =>
        Effect.orDie(
          Effect.asVoid(sql`UPDATE kept_answers
            SET status = ${status}, location = ${location}, body = ${body}, sealed = ${sealed ? 1 : 0} WHERE id = ${id}`)
        )
    })
  })
)
