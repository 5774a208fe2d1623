/** Checks that the direct URL leads to the same database as the URL of the pooler. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import type { SqlClient } from "effect/sql/SqlClient"

export class DirectUrlMismatch extends Schema.TaggedError<DirectUrlMismatch>()("DirectUrlMismatch", {}) {
  override get message() {
    return "The direct URL leads to another database than the URL of the pooler"
  }
}

/**
 * Fails if the two clients reach different databases. The direct client holds an advisory lock, which blocks only
 * sessions of the same database. Host names differ behind a pooler, and a copied server has the same system identifier.
 */
export const requireSameDatabase = (direct: SqlClient, pooled: SqlClient) =>
  direct.withTransaction(
    Effect.gen(function* () {
      const key = yield* Random.nextInt
      yield* direct`SELECT CAST(pg_advisory_xact_lock(${key}) AS TEXT)`
      const [row] = yield* pooled<{ readonly free: boolean }>`SELECT pg_try_advisory_xact_lock(${key}) AS free`
      if (row?.free === true) yield* new DirectUrlMismatch()
    })
  )
