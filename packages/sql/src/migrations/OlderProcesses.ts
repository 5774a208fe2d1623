/** Refuses a migration that older processes cannot survive while one of them has a fresh heartbeat. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"

/** A process is dead after three missed heartbeats. Milliseconds. */
export const freshFor = 60_000

/** The error means that nothing was changed. @public */
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

/** Ignores a heartbeat in the future: a live process whose clock was set back will soon write another one. */
export const check = Effect.fnUntraced(function* (left: ReadonlyArray<string>, exclusive: ReadonlySet<string>) {
  const migration = left.findLast((name) => exclusive.has(name))
  const sql = yield* SqlClient.SqlClient
  if (migration === undefined || !(yield* hasTable(sql))) return
  const now = yield* Instant.now
  const [older] = yield* sql<{ readonly count: number; readonly seen_at: string | null }>`SELECT
      CAST(COUNT(*) AS INTEGER) AS count, MAX(seen_at) AS seen_at FROM processes
    WHERE schema_id < ${Number.parseInt(migration, 10)} AND seen_at > ${Instant.toIso(now - freshFor)}
      AND seen_at < ${Instant.toIso(now + freshFor)}`.withoutTransform
  if (older === undefined || older.count === 0) return
  return yield* new OlderProcessesAlive({ migration, count: older.count, seenAt: older.seen_at ?? "" })
})

/** An empty database has no heartbeat table. */
const hasTable = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () => sql`SELECT 1 AS found WHERE to_regclass('processes') IS NOT NULL`,
      orElse: () => sql`SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'processes'`
    }).withoutTransform,
    ({ length }) => length > 0
  )
