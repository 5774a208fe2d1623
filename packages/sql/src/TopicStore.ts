/**
 * Topics: taken in as one transaction each, read by one query each. Where a statement is a way over the network, those that an owner sends at
 * one time are taken in together. How assignments change is AssignmentStore's.
 */
import { assignments, NoValidPersonas, results, type Submission } from "@partner-commentary/core/topic/Submission"
import type { Topic } from "@partner-commentary/core/topic/Topic"
import { none } from "@partner-commentary/core/topic/TopicStatus"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { type QuotaExceeded, refusal } from "@partner-commentary/core/usage/Quota"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as KeptFigures from "./KeptFigures.ts"
import * as Together from "./Together.ts"
import * as TopicIntake from "./TopicIntake.ts"
import * as TopicIntakeAtOnce from "./TopicIntakeAtOnce.ts"
import * as TopicProgress from "./TopicProgress.ts"
import { makeReads } from "./TopicReads.ts"
import { transact } from "./Transaction.ts"

export const layer = Layer.effect(
  TopicStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const progress = yield* TopicProgress.make(sql)
    const submit = yield* sql.onDialectOrElse({
      pg: () => submitTogether(sql),
      orElse: () => Effect.succeed(submitAlone(sql, TopicIntake.inStatements(sql)))
    })
    return TopicStore.of({ submit, progress: (owner, id) => progress({ owner, id }), ...makeReads(sql) })
  })
)

/** What follows from who holds which window. */
const outcome = (submission: Submission, holders: TopicIntake.Holders) => {
  const answers = results(submission, holders)
  const sent = assignments(submission, holders).map(({ id }) => id)
  if (sent.length === 0) return Effect.fail(new NoValidPersonas({ results: answers }))
  const topic: Topic = { ...submission.topic, status: "pending", counts: { ...none, topic_sent: sent.length } }
  return Effect.succeed({ topic, results: answers, sent })
}

type Write = (submission: Submission) => Effect.Effect<TopicIntake.Written, SqlError>

/** A refusal rolls everything back. */
const submitAlone = (sql: SqlClient.SqlClient, write: Write) => (submission: Submission) =>
  transact(
    sql,
    Effect.gen(function* () {
      const { holders, seen } = yield* write(submission)
      const submitted = yield* outcome(submission, holders)
      if (submission.quotas !== null) {
        const sent = submitted.sent.length
        const held = { topics: seen.topics_created - 1, commentaryUnits: seen.units_held - sent }
        const refused = refusal(held, submission.quotas, sent)
        if (Option.isSome(refused)) return yield* refused.value
      }
      return submitted
    })
  )

/** So many topics are taken in by one statement at most. */
const together = 25

/**
 * One statement, which is a transaction by itself, takes in all that fit into the quotas. Where it did not, or failed for whatever one of them
 * is to blame for, each goes by itself; so does whatever is part of a larger change.
 */
const submitTogether = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const alone = submitAlone(sql, (submission) =>
    Effect.map(TopicIntakeAtOnce.write(sql, [submission], null), ([written = nobody]) => written)
  )
  const eachAlone = (submissions: ReadonlyArray<Submission>) =>
    Effect.forEach(submissions, (submission) => Effect.exit(alone(submission)))

  const atOnce = Effect.fnUntraced(
    function* (submissions: ReadonlyArray<Submission>) {
      const written = yield* TopicIntakeAtOnce.write(sql, submissions, submissions[0]?.quotas ?? null)
      return written.length === 0
        ? yield* eachAlone(submissions)
        : yield* Effect.forEach(submissions, (submission, index) =>
            Effect.exit(outcome(submission, written[index]?.holders ?? new Map()))
          )
    },
    (asked, submissions) =>
      Effect.catch(asked, (error) =>
        isOfOne(error) ? eachAlone(submissions) : Effect.succeed(submissions.map(() => Exit.die(error)))
      )
  )

  /** Of what repeats another the first goes before the rest. */
  const ask = Effect.fnUntraced(function* (submissions: ReadonlyArray<Submission>): Asked {
    if (submissions.length === 0) return []
    const firsts = submissions.filter(
      (one) => submissions.find((other) => other.fingerprint === one.fingerprint) === one
    )
    const others = submissions.filter((one) => !firsts.includes(one))
    const exits = [...(yield* atOnce(firsts)), ...(yield* ask(others))]
    const order = [...firsts, ...others]
    return submissions.map((one) => exits[order.indexOf(one)] as Submitted)
  })

  const submit = yield* Together.make(ask, { most: together, laneOf })
  return (submission: Submission) =>
    Effect.withFiber((fiber) =>
      Context.getOrUndefined(fiber.context, sql.transactionService) === undefined
        ? submit(submission)
        : alone(submission)
    )
})

type Submitted = Exit.Exit<Effect.Success<ReturnType<typeof outcome>>, NoValidPersonas | QuotaExceeded>
type Asked = Effect.fn.Return<ReadonlyArray<Submitted>>

const nobody: TopicIntake.Written = { holders: new Map(), seen: TopicIntake.nothing }

/** One owner's, of one day, whose figures they are counted in, and of one plan, which may have changed meanwhile. */
const laneOf = ({ quotas, topic }: Submission): string =>
  [topic.organizationId, topic.environment, KeptFigures.dayOf(topic.createdAt), JSON.stringify(quotas)].join(" ")

/** Undone for what one of them is, or came upon. Whatever else fails, fails for each: and of a lost connection nobody knows what was written. */
const isOfOne = ({ reason }: SqlError): boolean =>
  reason._tag === "UniqueViolation" ||
  reason._tag === "ConstraintError" ||
  reason._tag === "DeadlockError" ||
  reason._tag === "SerializationError" ||
  String((reason.cause as { readonly code?: unknown } | null)?.code).startsWith(dataException)

/** The class of codes of what is wrong with values, the division by zero among them. */
const dataException = "22"
