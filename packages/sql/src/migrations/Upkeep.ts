/**
 * How Postgres keeps the tables in order. Its own rule, a fifth of a table, lets a year's table grow by two months before anybody looks: then plans
 * and index-only reads are out of date. Queues are looked after when a fiftieth has changed. SQLite needs none of it.
 */
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/** Grow for ever; a row changes a few times in its first days. */
const growing = ["topics", "assignments", "drafts", "events", "audit_log"]

/** Rows come and go. */
const queues = ["mails", "deliveries", "delivery_attempts", "duplicate_windows", "kept_answers"]

/** Few rows, each changed with every request: there is room beside it, so that no index hears of it. */
const counters = ["usage_months"]

export const upkeep = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.forEach(
        [
          ...growing.map(
            (table) => `${table} SET (autovacuum_vacuum_scale_factor = 0.05,
            autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02)`
          ),
          ...queues.map(
            (table) => `${table} SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`
          ),
          ...counters.map((table) => `${table} SET (fillfactor = 50)`)
        ],
        (change) => sql`ALTER TABLE ${sql.literal(change)}`,
        { discard: true }
      ),
    orElse: () => Effect.void
  })
