/** Appends entries to the audit log. No store changes existing entries of the audit log. */
import { type AuditEntry, AuditLog } from "@partner-commentary/core/shared/AuditLog"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

export const layer = Layer.effect(
  AuditLog,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return AuditLog.of({
      record: (entry) => Effect.flatMap(Instant.now, (now) => Effect.orDie(appendEntry(sql, entry, now)))
    })
  })
)

export const appendEntry = (sql: SqlClient.SqlClient, entry: AuditEntry, at: Instant.Instant) =>
  Effect.asVoid(insertAuditEntry(sql, entry, at))

export const insertAuditEntry = (sql: SqlClient.SqlClient, entry: AuditEntry, at: Instant.Instant) =>
  sql`INSERT INTO audit_log (recorded_at, action, subject, organization_id, details) VALUES
    (${Instant.toIso(at)}, ${entry.action}, ${entry.subject}, ${entry.organizationId}, ${JSON.stringify(entry.details)})`
