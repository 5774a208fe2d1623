/**
 * Topics: taken in as one transaction each, read by one query each. Where a statement is a way over the network, those that an owner sends at
 * one time are taken in together. How assignments change is AssignmentStore's.
 */

import { assignments, NoValidPersonas, results, type Submission } from "@partner-commentary/core/topic/Submission"
import { refusal as storageRefusal } from "@partner-commentary/core/topic/TestStorage"
import type { Topic } from "@partner-commentary/core/topic/Topic"
import { none } from "@partner-commentary/core/topic/TopicStatus"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { periodOf } from "@partner-commentary/core/usage/BillingPeriod"
import * as Quota from "@partner-commentary/core/usage/Quota"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as BatchLoader from "../database/BatchLoader.ts"
import { isWithin, transact } from "../database/Transaction.ts"
import { dayOf } from "../reporting/DailyMetrics.ts"
import * as TestStorage from "../sandbox/TestStorage.ts"
import * as Usage from "../usage/UsageStore.ts"
import type { Prepared } from "./PostgresSubmission.ts"
import * as PostgresSubmission from "./PostgresSubmission.ts"
import * as SqliteSubmission from "./SqliteSubmission.ts"
import * as Writes from "./SubmissionWrites.ts"
import * as TopicProgress from "./TopicProgress.ts"
import { makeReads } from "./TopicReads.ts"

export const layer = Layer.effect(
  TopicStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const progress = yield* TopicProgress.make(sql)
    const submit = yield* sql.onDialectOrElse({
      pg: () => submitBatched(sql),
      orElse: () => Effect.succeed(submitAlone(sql, (submission) => SqliteSubmission.write(sql, submission)))
    })
    return TopicStore.of({ submit, progress: (owner, id) => progress({ owner, id }), ...makeReads(sql) })
  })
)

/** What follows from who holds which window. */
const outcome = (submission: Submission, holders: Writes.Holders) => {
  const answers = results(submission, holders)
  const sent = assignments(submission, holders).map(({ id }) => id)
  if (sent.length === 0) return Effect.fail(new NoValidPersonas({ results: answers }))
  const topic: Topic = { ...submission.topic, status: "pending", counts: { ...none, topic_sent: sent.length } }
  return Effect.succeed({ topic, results: answers, sent })
}

type Write = (submission: Submission) => Effect.Effect<Writes.Written, SqlError>

/** A refusal rolls everything back. */
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
        const refused = Quota.refusal(held, submission.quotas, sent)
        if (Option.isSome(refused)) return yield* refused.value
      }
      return submitted
    })
  )

/** So many topics are taken in by one statement at most. */
const maxBatch = 25

/**
 * One statement, which is a transaction by itself, takes in all that fit into the quotas and the test storage. Where it did not, or failed for whatever one of them
 * is to blame for, each goes by itself. What is part of a larger change is a statement of that.
 */
const submitBatched = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const alone = (one: PostgresSubmission.Prepared) => {
    const write = Effect.map(PostgresSubmission.write(sql, [one], null), ([written = nobody]) => written)
    return submitAlone(sql, (submission) => Effect.andThen(lockCounters(sql, submission), write))(one.submission)
  }
  /** As a part of a larger change, which needs no place to come back to: where nothing fits, nothing was written. */
  const asPart = (one: PostgresSubmission.Prepared) =>
    Effect.flatMap(Effect.orDie(PostgresSubmission.write(sql, [one], one.submission)), ([written]) =>
      written === undefined ? alone(one) : outcome(one.submission, written.holders)
    )

  const eachAlone = (all: ReadonlyArray<Prepared>) => Effect.forEach(all, (one) => Effect.exit(alone(one)))

  const atOnce = Effect.fnUntraced(
    function* (all: ReadonlyArray<Prepared>) {
      const written = yield* PostgresSubmission.write(sql, all, all[0]?.submission ?? null)
      return written.length === 0
        ? yield* eachAlone(all)
        : yield* Effect.forEach(all, ({ submission }, index) =>
            Effect.exit(outcome(submission, written[index]?.holders ?? new Map()))
          )
    },
    (asked, all) =>
      Effect.catch(asked, (error) => (isOfOne(error) ? eachAlone(all) : Effect.succeed(all.map(() => Exit.die(error)))))
  )

  /** Of what repeats another the first goes before the rest. */
  const ask = Effect.fnUntraced(function* (all: ReadonlyArray<Prepared>) {
    const firstOf = Map.groupBy(all, ({ submission }) => submission.fingerprint)
    const firsts = [...firstOf.values()].flatMap(([first]) => first ?? [])
    const repeats = [...firstOf.values()].flatMap(([, ...rest]) => rest)
    const exits = [...(yield* atOnce(firsts)), ...(yield* eachAlone(repeats))]
    const byCall = new Map([...firsts, ...repeats].map((one, index) => [one, exits[index]]))
    return all.flatMap((one) => byCall.get(one) ?? [])
  })

  const submit = yield* BatchLoader.make(ask, { limit: maxBatch, keyOf })
  return (submission: Submission) =>
    Effect.withFiber((fiber) => {
      // Here, where only its own caller hears of what cannot be written.
      const one = PostgresSubmission.prepare(submission)
      return isWithin(sql, fiber) ? asPart(one) : submit(one)
    })
})

const nobody: Writes.Written = { holders: new Map(), ...Writes.nothing }

/** One owner's, of one day, whose figures they are counted in, and of one plan, which may have changed meanwhile. */
const keyOf = ({ submission: { quotas, topic } }: PostgresSubmission.Prepared): string =>
  [topic.organizationId, topic.environment, dayOf(topic.createdAt), JSON.stringify(quotas)].join(" ")

/** Locks, and creates if need be, the counters that have limits. First, as the common statement does: the same order cannot deadlock. */
const lockCounters = (sql: SqlClient.SqlClient, { quotas, storage, topic }: Submission) =>
  Effect.andThen(
    quotas === null ? Effect.void : Usage.count(sql, topic, periodOf(topic.createdAt), {}),
    storage === null ? Effect.void : TestStorage.add(sql, topic.organizationId, { topics: 0, bytes: 0 })
  )

/**
 * Refused, and undone, for what one of them is, or came upon: whatever the server says of values, constraints and conflicts. What it says of itself
 * is true for each, and of a lost connection nobody knows what was written.
 */
const isOfOne = (error: SqlError): boolean => {
  const code = String((error.reason.cause as { readonly code?: unknown } | null)?.code)
  return sqlState.test(code) && !ofTheServer.test(code)
}

const sqlState = /^[0-9FHP][0-9A-Z]{4}$/

/** Connection, credentials, statement, resources, operator, system, itself; a lock that was waited for too long. */
const ofTheServer = /^(08|28|42|53|57|58|XX|55P03)/
