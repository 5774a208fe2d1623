/**
 * Lets go of settled mails, closed duplicate windows and answers kept long enough, by their indexes: few at a time, with a
 * pause behind each, so that who writes meanwhile, in other processes too, waits for one batch and never for all.
 */
import { Retention } from "@partner-commentary/core/operations/Retention"
import { type Instant, toIso } from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { forUpdate } from "./Lock.ts"
import { transact } from "./Transaction.ts"

const batch = 1000

/** Longer than who waits for another process's lock sleeps between two looks at it. */
const pause = "50 millis"

interface Kind {
  readonly table: string
  readonly key: ReadonlyArray<string>
  readonly closedAt: string
}

const mails: Kind = { table: "mails", key: ["id"], closedAt: "settled_at" }
const windows: Kind = {
  table: "duplicate_windows",
  key: ["organization_id", "environment", "persona_id", "fingerprint"],
  closedAt: "until_at"
}
const answers: Kind = { table: "kept_answers", key: ["id"], closedAt: "until_at" }

export const layer = Layer.effect(
  Retention,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const some = ({ closedAt, key, table }: Kind, before: Instant) => {
      const columns = sql.literal(key.join(", "))
      return Effect.map(
        sql`DELETE FROM ${sql(table)} WHERE (${columns}) IN (
            SELECT ${columns} FROM ${sql(table)} WHERE ${sql(closedAt)} < ${toIso(before)} LIMIT ${batch} ${forUpdate(sql)}
          ) RETURNING 1 AS gone`,
        ({ length }) => length
      )
    }

    const all = (kind: Kind, before: Instant, gone = 0): Effect.Effect<number> =>
      Effect.flatMap(transact(sql, some(kind, before)), (more) =>
        more < batch ? Effect.succeed(gone + more) : Effect.andThen(Effect.sleep(pause), all(kind, before, gone + more))
      )

    const total = ({ closedAt, table }: Kind, before: Instant) =>
      Effect.orDie(
        Effect.map(
          sql<{ readonly total: number }>`SELECT CAST(COUNT(*) AS INTEGER) AS total FROM ${sql(table)}
            WHERE ${sql(closedAt)} < ${toIso(before)}`,
          ([row]) => row?.total ?? 0
        )
      )

    return Retention.of({
      purge: Effect.fn("Retention.purge")(function* (before) {
        return {
          mails: yield* all(mails, before.mails),
          windows: yield* all(windows, before.windows),
          answers: yield* all(answers, before.answers)
        }
      }),
      count: Effect.fn("Retention.count")(function* (before) {
        return {
          mails: yield* total(mails, before.mails),
          windows: yield* total(windows, before.windows),
          answers: yield* total(answers, before.answers)
        }
      })
    })
  })
)
