/**
 * Submits each topic in one transaction, and reads each topic with one query. On Postgres, concurrent submissions of
 * one owner share a statement. AssignmentStore changes assignments.
 */

import { CurrentFairShare } from "@partner-commentary/core/shared/FairShare"
import {
  makeNewAssignments,
  makeSubmissionResults,
  NoValidPersonas,
  type Submission
} from "@partner-commentary/core/topic/Submission"
import { findExceededTestStorageLimit as storageRefusal } from "@partner-commentary/core/topic/TestStorage"
import type { Topic } from "@partner-commentary/core/topic/Topic"
import { emptyTopicCounts } from "@partner-commentary/core/topic/TopicStatus"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { findBillingPeriod } from "@partner-commentary/core/usage/BillingPeriod"
import * as Quota from "@partner-commentary/core/usage/Quota"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as BatchLoader from "../database/BatchLoader.ts"
import { mayBeOfOneCall } from "../database/DatabaseFault.ts"
import { DirectReads } from "../database/DirectReads.ts"
import { isInTransaction, transact } from "../database/Transaction.ts"
import { formatUtcDay } from "../reporting/DailyMetrics.ts"
import * as TestEnvironmentStorage from "../sandbox/TestEnvironmentStorage.ts"
import * as Usage from "../usage/UsageStore.ts"
import type { PreparedSubmission } from "./PostgresSubmission.ts"
import * as PostgresSubmission from "./PostgresSubmission.ts"
import * as SqliteSubmission from "./SqliteSubmission.ts"
import * as Writes from "./SubmissionWrites.ts"
import * as TopicProgressReader from "./TopicProgressReader.ts"
import { makeTopicReads } from "./TopicReads.ts"
import * as TopicRevisions from "./TopicRevisions.ts"

export const layer = Layer.effect(
  TopicStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const progress = yield* TopicProgressReader.make(sql)
    const revision = yield* TopicRevisions.make(sql)
    const submit = yield* sql.onDialectOrElse({
      pg: () => submitBatched(sql),
      orElse: () => Effect.succeed(submitAlone(sql, (submission) => SqliteSubmission.writeSubmission(sql, submission)))
    })
    return TopicStore.of({
      submit,
      progress: (owner, id) => progress({ owner, id }),
      revision: (owner, id) => revision({ owner, id }),
      ...makeTopicReads(sql, yield* DirectReads)
    })
  })
)

/**
 * Returns the result of a submission. `holders` contains, for each persona, the assignment that holds the duplicate
 * window.
 */
const outcome = (submission: Submission, holders: Writes.DuplicateWindowHolders) => {
  const answers = makeSubmissionResults(submission, holders)
  const sent = makeNewAssignments(submission, holders).map(({ id }) => id)
  if (sent.length === 0) return Effect.fail(new NoValidPersonas({ results: answers }))
  const topic: Topic = {
    ...submission.topic,
    status: "pending",
    counts: { ...emptyTopicCounts, topic_sent: sent.length }
  }
  return Effect.succeed({ topic, results: answers, sent })
}

type Write = (submission: Submission) => Effect.Effect<Writes.WrittenSubmission, SqlError>

/** Submits a topic in its own transaction. A refusal rolls back the whole submission. */
const submitAlone = (sql: SqlClient.SqlClient, write: Write) => (submission: Submission) =>
  transact(
    sql,
    Effect.gen(function* () {
      const { holders, stored, usage } = yield* write(submission)
      const submitted = yield* outcome(submission, holders)
      const { storage } = submission
      if (storage !== null && stored !== null) {
        const others = { topics: stored.topics - 1, bytes: stored.bytes - storage.bytes }
        const refused = storageRefusal(others, storage.limits, storage.bytes)
        if (Option.isSome(refused)) return yield* refused.value
      }
      if (submission.quotas !== null) {
        const sent = submitted.sent.length
        const held = { topics: usage.topics_created - 1, commentaryUnits: usage.units_held - sent }
        const refused = Quota.findExceededQuota(held, submission.quotas, sent)
        if (Option.isSome(refused)) return yield* refused.value
      }
      return submitted
    })
  )

/** The maximum number of submissions in one statement. */
const maxBatch = 25

/**
 * Submits a whole batch in a single SQL statement, so the batch needs no explicit transaction. If a quota has too
 * little room for the batch, or if one submission is invalid, each submission runs in its own statement. A submission
 * inside a transaction always runs alone.
 */
const submitBatched = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const alone = (one: PostgresSubmission.PreparedSubmission) => {
    const write = Effect.map(PostgresSubmission.writeSubmissions(sql, [one], null), ([written = nobody]) => written)
    return submitAlone(sql, (submission) => Effect.andThen(lockCounters(sql, submission), write))(one.submission)
  }
  /**
   * Submits a topic inside a larger transaction. The statement needs no savepoint, because a refused submission writes
   * nothing.
   */
  const asPart = (one: PostgresSubmission.PreparedSubmission) =>
    Effect.flatMap(Effect.orDie(PostgresSubmission.writeSubmissions(sql, [one], one.submission)), ([written]) =>
      written === undefined ? alone(one) : outcome(one.submission, written.holders)
    )

  const eachAlone = (all: ReadonlyArray<PreparedSubmission>) => Effect.forEach(all, (one) => Effect.exit(alone(one)))

  const atOnce = Effect.fnUntraced(
    function* (all: ReadonlyArray<PreparedSubmission>) {
      const written = yield* PostgresSubmission.writeSubmissions(sql, all, all[0]?.submission ?? null)
      return written.length === 0
        ? yield* eachAlone(all)
        : yield* Effect.forEach(all, ({ submission }, index) =>
            Effect.exit(outcome(submission, written[index]?.holders ?? new Map()))
          )
    },
    (batch, all) =>
      Effect.catch(batch, (error) =>
        mayBeOfOneCall(error) ? eachAlone(all) : Effect.succeed(all.map(() => Exit.die(error)))
      )
  )

  /** Writes the first submission of each fingerprint before the duplicates of that submission. */
  const ask = Effect.fnUntraced(function* (all: ReadonlyArray<PreparedSubmission>) {
    const firstOf = Map.groupBy(all, ({ submission }) => submission.fingerprint)
    const firsts = [...firstOf.values()].flatMap(([first]) => first ?? [])
    const repeats = [...firstOf.values()].flatMap(([, ...rest]) => rest)
    const exits = [...(yield* atOnce(firsts)), ...(yield* eachAlone(repeats))]
    const byCall = new Map([...firsts, ...repeats].map((one, index) => [one, exits[index]]))
    return all.flatMap((one) => byCall.get(one) ?? [])
  })

  /** The batch counts as work of its organization while the batch waits for a connection. */
  const askInTurn = (all: ReadonlyArray<PreparedSubmission>) =>
    Effect.provideService(ask(all), CurrentFairShare, {
      owner: all[0]?.submission.topic.organizationId ?? "",
      isFrequent: true
    })

  const submit = yield* BatchLoader.make(askInTurn, { limit: maxBatch, keyOf })
  return (submission: Submission) =>
    Effect.withFiber((fiber) => {
      // The rows are prepared before the batch, so that a value that cannot be encoded fails only its own submission.
      const one = PostgresSubmission.prepareSubmission(submission)
      return isInTransaction(sql, fiber) ? asPart(one) : submit(one)
    })
})

const nobody: Writes.WrittenSubmission = { holders: new Map(), ...Writes.zeroSubmissionUsage }

/** All submissions of a batch have the same owner, the same day for the metrics, and the same quotas. */
const keyOf = ({ submission: { quotas, topic } }: PostgresSubmission.PreparedSubmission): string =>
  [topic.organizationId, topic.environment, formatUtcDay(topic.createdAt), JSON.stringify(quotas)].join(" ")

/**
 * Inserts missing counters, and locks the counters that have limits. To avoid deadlocks, the lock order is the same as
 * in the batch statement.
 */
const lockCounters = (sql: SqlClient.SqlClient, { quotas, storage, topic }: Submission) =>
  Effect.andThen(
    quotas === null
      ? Effect.void
      : Usage.addAndReadUsage(sql, { owner: topic, period: findBillingPeriod(topic.createdAt) }),
    storage === null
      ? Effect.void
      : TestEnvironmentStorage.addStorage(sql, topic.organizationId, { topics: 0, bytes: 0 })
  )
