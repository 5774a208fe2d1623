/** Refuses an exclusive migration while an older process has a recent heartbeat. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"

/**
 * The time after which a process without a heartbeat counts as dead, in milliseconds. A live process writes three
 * heartbeats in this time.
 */
export const heartbeatTimeoutMillis = 60_000

/** An older process is running, so the migration did not start and changed nothing. @public */
export class OlderProcessesAlive extends Schema.TaggedError<OlderProcessesAlive>()("OlderProcessesAlive", {
  migration: Schema.String,
  count: Schema.Int,
  seenAt: Schema.String
}) {
  override get message() {
    const processes = this.count === 1 ? "one older process is" : `${this.count} older processes are`
    return `The migration ${this.migration} needs every older process stopped, and ${processes} alive, last seen at ${this.seenAt}: stop every serve and worker of the older version, wait a minute if one was killed, and start again. Nothing was changed.`
  }
}

/**
 * Fails if an older process is running. The check ignores heartbeats in the future, because a live process whose clock
 * was set back soon writes another heartbeat.
 */
export const failIfOlderProcessesRun = Effect.fnUntraced(function* (
  left: ReadonlyArray<string>,
  exclusive: ReadonlySet<string>
) {
  const migration = left.findLast((name) => exclusive.has(name))
  const sql = yield* SqlClient.SqlClient
  if (migration === undefined || !(yield* hasTable(sql))) return
  const now = yield* Instant.now
  const [older] = yield* sql<{ readonly count: number; readonly seen_at: string | null }>`SELECT
      CAST(COUNT(*) AS INTEGER) AS count, MAX(seen_at) AS seen_at FROM processes
    WHERE schema_id < ${Number.parseInt(migration, 10)} AND seen_at > ${Instant.toIso(now - heartbeatTimeoutMillis)}
      AND seen_at < ${Instant.toIso(now + heartbeatTimeoutMillis)}`.withoutTransform
  if (older === undefined || older.count === 0) return
  return yield* new OlderProcessesAlive({ migration, count: older.count, seenAt: older.seen_at ?? "" })
})

/** Returns whether the heartbeat table exists. An empty database has no heartbeat table. */
const hasTable = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () => sql`SELECT 1 AS found WHERE to_regclass('processes') IS NOT NULL`,
      orElse: () => sql`SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'processes'`
    }).withoutTransform,
    ({ length }) => length > 0
  )
