/** Refuses a migration that older processes cannot live with, while they are seen. Processes are seen by their heartbeats. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"

/** Migrations that need every older process stopped: what these write afterwards would be lost or wrong. */
const exclusive: ReadonlySet<string> = new Set(["0018_kept_figures"])

/** A process without a heartbeat for so long is taken for dead: three are missed. Milliseconds. */
export const freshFor = 60_000

/**
 * Nothing was changed.
 *
 * @public
 */
export class OlderProcessesAlive extends Schema.TaggedError<OlderProcessesAlive>()("OlderProcessesAlive", {
  migration: Schema.String,
  count: Schema.Int,
  seenAt: Schema.String
}) {
  override get message() {
    const who = this.count === 1 ? "one older process is" : `${this.count} older processes are`
    return `The migration ${this.migration} needs every older process stopped, and ${who} alive, last seen at ${this.seenAt}: stop every serve and worker of the older version, wait a minute if one was killed, and start again. Nothing was changed.`
  }
}

/** A heartbeat from the future is of a clock that ran ahead: its process, if it lives, soon writes another. */
export const check = Effect.fnUntraced(function* (left: ReadonlyArray<string>) {
  const migration = left.findLast((name) => exclusive.has(name))
  const sql = yield* SqlClient.SqlClient
  if (migration === undefined || !(yield* isThere(sql))) return
  const now = yield* Instant.now
  const [older] = yield* sql<{ readonly count: number; readonly seen_at: string | null }>`SELECT
      CAST(COUNT(*) AS INTEGER) AS count, MAX(seen_at) AS seen_at FROM processes
    WHERE schema_id < ${Number.parseInt(migration, 10)} AND seen_at > ${Instant.toIso(now - freshFor)}
      AND seen_at < ${Instant.toIso(now + freshFor)}`.withoutTransform
  if (older === undefined || older.count === 0) return
  return yield* new OlderProcessesAlive({ migration, count: older.count, seenAt: older.seen_at ?? "" })
})

/** Versions before heartbeats have no such table. */
const isThere = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () => sql`SELECT 1 AS found WHERE to_regclass('processes') IS NOT NULL`,
      orElse: () => sql`SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'processes'`
    }).withoutTransform,
    ({ length }) => length > 0
  )
