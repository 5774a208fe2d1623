/** Takes advisory locks. SQLite allows only one writer at a time, so SQLite needs no advisory locks. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/**
 * Locks a name until the transaction ends, for cases where no row exists to lock. Two names with the same hash share a
 * lock, so a transaction can wait for an unrelated transaction.
 */
export const takeAdvisoryLock = (sql: SqlClient, name: string) =>
  sql.onDialectOrElse({
    // The cast to TEXT is needed because Prisma cannot read the type void.
    pg: () => Effect.asVoid(sql`SELECT CAST(pg_advisory_xact_lock(hashtextextended(${name}, 0)) AS TEXT)`),
    orElse: () => Effect.void
  })
