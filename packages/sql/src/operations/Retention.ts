/**
 * Deletes finished mails and redeliveries, ended duplicate windows, expired responses, old events, old test topics and
 * expired former secrets. Each batch is one transaction, and finds its rows by an index. The pause after a batch lets
 * writers proceed.
 */
import { type DeletionCutoffs, Retention } from "@partner-commentary/core/operations/Retention"
import { toIso } from "@partner-commentary/core/shared/Instant"
import { makeLowestEventId } from "@partner-commentary/core/webhook/Event"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { forUpdate, limitClause } from "../database/Clauses.ts"
import { transact } from "../database/Transaction.ts"
import * as TestRetention from "../sandbox/TestRetention.ts"
import * as FormerSecrets from "../webhooks/FormerSecrets.ts"

const batch = 1000

/** The pause must be longer than the interval at which a waiting process polls for the write lock. */
const pause = "50 millis"

interface Kind {
  readonly table: string
  readonly key: ReadonlyArray<string>
  /** The SQL condition that selects the rows to delete. */
  readonly isClosed: Fragment
}

export const layer = Layer.effect(
  Retention,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const mails = ({ mails }: DeletionCutoffs): Kind => ({
      table: "mails",
      key: ["id"],
      isClosed: sql`settled_at < ${toIso(mails)}`
    })
    const windows = ({ windows }: DeletionCutoffs): Kind => ({
      table: "duplicate_windows",
      key: ["organization_id", "environment", "fingerprint", "persona_id"],
      isClosed: sql`until_at < ${toIso(windows)}`
    })
    const answers = ({ answers }: DeletionCutoffs): Kind => ({
      table: "stored_responses",
      key: ["id"],
      isClosed: sql`until_at < ${toIso(answers)}`
    })
    const events = ({ events }: DeletionCutoffs): Kind => ({
      table: "events",
      key: ["id"],
      isClosed: sql`id < ${makeLowestEventId(events)}`
    })
    const eventPositions = ({ events }: DeletionCutoffs): Kind => ({
      table: "event_positions",
      key: ["event_id"],
      isClosed: sql`event_id < ${makeLowestEventId(events)}`
    })
    const redeliveries = ({ mails }: DeletionCutoffs): Kind => ({
      table: "redeliveries",
      key: ["id"],
      isClosed: sql`done_at < ${toIso(mails)}`
    })
    /**
     * Selects old rows of existing webhooks. The condition includes the webhook, because the keys begin with the
     * webhook's id.
     */
    const ofWebhooks = (table: string, key: ReadonlyArray<string>, { events }: DeletionCutoffs): Kind => ({
      table,
      key: ["webhook_id", "event_id", ...key],
      isClosed: sql`webhook_id IN (SELECT id FROM webhooks) AND event_id < ${makeLowestEventId(events)}`
    })

    const deleteBatch = ({ isClosed, key, table }: Kind) => {
      const columns = sql.literal(key.join(", "))
      return Effect.map(
        sql`DELETE FROM ${sql(table)} WHERE (${columns}) IN (
            SELECT ${columns} FROM ${sql(table)} WHERE ${isClosed} ${limitClause(sql, batch)} ${forUpdate(sql)}
          ) RETURNING 1 AS deleted`,
        ({ length }) => length
      )
    }

    const deleteAll = (kind: Kind, deleted = 0): Effect.Effect<number> =>
      Effect.flatMap(transact(sql, deleteBatch(kind)), (more) =>
        more < batch
          ? Effect.succeed(deleted + more)
          : Effect.andThen(Effect.sleep(pause), deleteAll(kind, deleted + more))
      )

    const deleteTestTopics = (before: DeletionCutoffs["testTopics"], deleted = 0): Effect.Effect<number> =>
      Effect.flatMap(TestRetention.deleteOldTopics(sql, before), (more) =>
        more === 0
          ? Effect.succeed(deleted)
          : Effect.andThen(
              more < TestRetention.topicBatchSize ? Effect.void : Effect.sleep(pause),
              deleteTestTopics(before, deleted + more)
            )
      )

    const total = ({ isClosed, table }: Kind) =>
      Effect.orDie(
        Effect.map(
          sql<{
            readonly total: number
          }>`SELECT CAST(COUNT(*) AS INTEGER) AS total FROM ${sql(table)} WHERE ${isClosed}`,
          ([row]) => row?.total ?? 0
        )
      )

    return Retention.of({
      purge: Effect.fn("Retention.purge")(function* (before) {
        yield* deleteAll(ofWebhooks("delivery_attempts", ["claim_number"], before))
        yield* deleteAll(ofWebhooks("deliveries", [], before))
        const deleted = {
          mails: yield* deleteAll(mails(before)),
          windows: yield* deleteAll(windows(before)),
          answers: yield* deleteAll(answers(before)),
          events: yield* deleteAll(events(before)),
          testTopics: yield* deleteTestTopics(before.testTopics)
        }
        yield* deleteAll(eventPositions(before))
        yield* deleteAll(redeliveries(before))
        yield* FormerSecrets.deleteExpired(sql)
        return deleted
      }),
      count: Effect.fn("Retention.count")(function* (before) {
        return {
          mails: yield* total(mails(before)),
          windows: yield* total(windows(before)),
          answers: yield* total(answers(before)),
          events: yield* total(events(before)),
          testTopics: yield* Effect.orDie(TestRetention.countOldTopics(sql, before.testTopics))
        }
      }),
      purgeTests: Effect.fn("Retention.purgeTests")(function* (before) {
        const deleted = yield* TestRetention.deleteOldTopics(sql, before)
        return deleted > 0 ? deleted : yield* TestRetention.deleteDuplicateWindowsAndResponses(sql, before)
      })
    })
  })
)
