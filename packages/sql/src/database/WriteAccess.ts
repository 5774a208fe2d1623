/**
 * Checks whether the stores can write to the database. The Postgres check reads privileges, and the SQLite check runs
 * an empty transaction.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { PrivilegesMissing } from "./SchemaErrors.ts"
import type { SchemaStatus } from "./SchemaStatus.ts"

/** Lists every table to which the stores write. */
export const writtenTables = [
  "api_keys",
  "assignments",
  "audit_log",
  "counters",
  "deliveries",
  "delivery_attempts",
  "drafts",
  "duplicate_windows",
  "duration_histograms",
  "event_positions",
  "events",
  "last_event_positions",
  "licenses",
  "mails",
  "media_jobs",
  "organizations",
  "personas",
  "processes",
  "rate_windows",
  "redeliveries",
  "removed_webhooks",
  "stored_responses",
  "test_storage",
  "topics",
  "usage_months",
  "webhook_totals",
  "webhooks"
] as const

/** The maximum number of missing privileges that the error names. */
const shown = 5

/** Returns the reason why the service cannot write to the database, if there is a reason. */
export const findWriteObstacle = Effect.fnUntraced(function* (
  schemaStatus: SchemaStatus
): Effect.fn.Return<SchemaStatus["obstacle"] | Option.Option<PrivilegesMissing>, SqlError, SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  if (Option.isSome(schemaStatus.obstacle)) return schemaStatus.obstacle
  return yield* sql.onDialectOrElse({
    pg: () => rightsMissing(sql),
    // The empty transaction waits until another writer has finished. The empty transaction fails if the SQLite file is
    // read-only.
    orElse: () => Effect.as(sql.withTransaction(sql`SELECT 1`), Option.none())
  })
})

/** The stores never update or delete audit log entries, so the role may lack UPDATE and DELETE on the audit log. */
const rightsMissing = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly role: string; readonly lacks: string }>`SELECT quote_ident(current_user) AS role,
        privilege || ' ON ' || place AS lacks
      FROM unnest(string_to_array(${writtenTables.join(" ")}, ' ')) AS places (place),
        unnest(string_to_array('SELECT INSERT UPDATE DELETE', ' ')) AS privileges (privilege)
      WHERE NOT (place = 'audit_log' AND privilege IN ('UPDATE', 'DELETE'))
        AND NOT COALESCE(has_table_privilege(to_regclass(place), privilege), FALSE)
      ORDER BY place, privilege`.withoutTransform,
    (rows) => {
      const [first] = rows
      if (first === undefined) return Option.none()
      const missing = rows.slice(0, shown).map(({ lacks }) => lacks)
      const more = rows.length - missing.length
      return Option.some(
        new PrivilegesMissing({ role: first.role, missing: more > 0 ? [...missing, `and ${more} more`] : missing })
      )
    }
  )
