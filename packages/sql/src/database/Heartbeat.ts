/** Records in the database that this process is running, so that no incompatible migration starts. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as SqlError from "effect/sql/SqlError"
import { latest, schemaStatus } from "../migrations/Migrations.ts"
import { heartbeatTimeoutMillis } from "../migrations/OlderProcesses.ts"
import { takeAdvisoryLock } from "./Lock.ts"
import { migrationsTable } from "./SchemaStatus.ts"
import { transact } from "./Transaction.ts"

const interval = "20 seconds"

/** The time for which the rows of dead processes stay in the table for operators, in milliseconds. */
const keptFor = 60 * heartbeatTimeoutMillis

/**
 * Writes a heartbeat every 20 seconds, and deletes the process's row at a clean stop. The first heartbeat takes the
 * lock of migrations. A migration that starts after the first heartbeat finds this process. If a migration ran before
 * the first heartbeat, this process finds a newer schema and does not start.
 */
export const layer = (version: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = yield* (yield* SecureRandom.SecureRandom).uuidV7()
      const started_at = Instant.toIso(yield* Instant.now)

      /**
       * Writes a heartbeat. Another process may delete this process's row while this process is suspended, so a
       * heartbeat inserts a missing row again.
       */
      const beat = Effect.flatMap(Instant.now, (now) => {
        const seen_at = Instant.toIso(now)
        return sql`INSERT INTO processes ${sql.insert({ id, version, schema_id: latest, started_at, seen_at })}
          ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`
      })

      const start = transact(
        sql,
        Effect.gen(function* () {
          yield* takeAdvisoryLock(sql, migrationsTable)
          yield* sql`DELETE FROM processes WHERE seen_at < ${Instant.toIso((yield* Instant.now) - keptFor)}`
          yield* beat
          yield* schemaStatus
        })
      )

      // The process starts even if the database rejects writes. The endpoint /readyz reports the fault, and later
      // heartbeats retry the write.
      const started = Effect.catchDefect(start, (defect) =>
        SqlError.isSqlError(defect)
          ? Effect.annotateLogs(Effect.logWarning("Failed to record this process"), {
              reason: formatErrorWithCauses(defect)
            })
          : Effect.die(defect)
      )
      yield* Effect.acquireRelease(started, () =>
        Effect.ignoreCause(sql`DELETE FROM processes WHERE id = ${id}`, {
          log: "Debug",
          message: "Failed to delete the heartbeat of this process"
        })
      )
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.andThen(
            Effect.sleep(interval),
            Effect.ignoreCause(beat, { log: "Debug", message: "Failed to write a heartbeat; will retry" })
          )
        )
      )
    })
  )
