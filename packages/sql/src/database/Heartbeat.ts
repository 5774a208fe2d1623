/** Writes this process down while it serves or works, so that no migration runs that it cannot live with. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as SqlError from "effect/sql/SqlError"
import { latest, schemaStatus } from "../migrations/Migrations.ts"
import { freshFor } from "../migrations/OlderProcesses.ts"
import { lockName } from "./Lock.ts"
import { table } from "./SchemaStatus.ts"
import { transact } from "./Transaction.ts"

const interval = "20 seconds"

/** Rows of processes that died are kept for so long: an operator may look at them. Milliseconds. */
const keptFor = 60 * freshFor

/**
 * One small write every 20 seconds; the row is deleted at a clean stop. It fails where a migration has come first: under the
 * lock of migrations the process is seen by the next one, or sees that it is too old.
 */
export const layer = (version: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = yield* (yield* SecureRandom.SecureRandom).uuidV7()
      const started_at = Instant.toIso(yield* Instant.now)

      /** Inserts the row again where somebody deleted it: this process slept for long. */
      const beat = Effect.flatMap(Instant.now, (now) => {
        const seen_at = Instant.toIso(now)
        return sql`INSERT INTO processes ${sql.insert({ id, version, schema_id: latest, started_at, seen_at })}
          ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`
      })

      const begin = transact(
        sql,
        Effect.gen(function* () {
          yield* lockName(sql, table)
          yield* sql`DELETE FROM processes WHERE seen_at < ${Instant.toIso((yield* Instant.now) - keptFor)}`
          yield* beat
          yield* schemaStatus
        })
      )

      // A database that takes no writes now keeps no process from starting: /readyz says so, and later beats try again.
      const begun = Effect.catchDefect(begin, (defect) =>
        SqlError.isSqlError(defect) ? Effect.logWarning("Failed to record this process", defect) : Effect.die(defect)
      )
      yield* Effect.acquireRelease(begun, () =>
        Effect.ignoreCause(sql`DELETE FROM processes WHERE id = ${id}`, {
          log: "Debug",
          message: "This process could not be written off"
        })
      )
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.andThen(
            Effect.sleep(interval),
            Effect.ignoreCause(beat, { log: "Debug", message: "This process could not be seen" })
          )
        )
      )
    })
  )
