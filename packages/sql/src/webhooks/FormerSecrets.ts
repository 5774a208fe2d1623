/** Deletes the previous secret of each webhook whose grace period has ended. */
import type { WebhookId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { limitClause } from "../database/Clauses.ts"

interface Row {
  readonly id: WebhookId
  readonly former_secret_until: string | null
}

const pageSize = 1000

/**
 * Reads pages of webhooks by primary key, because no index contains the end of the grace period. Each secret is deleted
 * in its own transaction.
 */
export const deleteExpired = Effect.fnUntraced(function* (sql: SqlClient) {
  const now = Instant.toIso(yield* Instant.now)
  let last: WebhookId | null = null
  do {
    const page: ReadonlyArray<Row> = yield* sql<Row>`SELECT id, former_secret_until FROM webhooks
      WHERE id > ${last ?? ""} ORDER BY id ${limitClause(sql, pageSize)}`
    for (const { id, former_secret_until: until } of page) {
      if (until === null || now < until) continue
      yield* sql`UPDATE webhooks SET former_secret = NULL, former_secret_until = NULL
        WHERE id = ${id} AND former_secret_until <= ${now}`
    }
    last = page.length < pageSize ? null : (page.at(-1)?.id ?? null)
  } while (last !== null)
}, Effect.orDie)
