/**
 * Changes assignments under the lock of their topics. On Postgres, waiting changes share one transaction, which needs
 * one commit and one statement for all locks. Changes in one transaction do not wait for each other's counter locks.
 */
import type { ShareId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import {
  makeDueWorkNotification,
  makeNewEventsSignal,
  makeTopicChangeSignal,
  toAssignmentWorkKind,
  type WorkNotification
} from "@partner-commentary/core/shared/WorkSignal"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import type { AssignmentWithTopic, ModifiedAssignment } from "@partner-commentary/core/topic/AssignmentStore"
import type { AssignmentChange } from "@partner-commentary/core/topic/Workflow"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { SqlClient } from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import * as BatchLoader from "../database/BatchLoader.ts"
import { forUpdate, forUpdateSkipLocked } from "../database/Clauses.ts"
import { toPostgresArray } from "../database/Columns.ts"
import { isInTransaction, transact } from "../database/Transaction.ts"
import { pickTopicCounts } from "../topics/TopicRow.ts"
import { type AssignmentWithTopicRow, assignmentInContextFromRow, assignmentWithTopicColumns } from "./AssignmentRow.ts"
import {
  increasesTopicVersion,
  type LockedTopic,
  prepareAssignmentWrites,
  writePreparedChanges
} from "./AssignmentWrites.ts"

/** The decision is `None` if the assignment does not exist, or if a batch skipped its locked topic. */
type Decision<E> = Option.Option<Result.Result<ModifiedAssignment, E>>

interface Request {
  readonly id: ShareId
  readonly decide: (present: Assignment) => Result.Result<AssignmentChange, unknown>
  /** The caller's context, which contains the clock and the trace spans. */
  readonly caller: Context.Context<never>
}

interface LockedRow extends AssignmentWithTopicRow, Omit<LockedTopic, "id" | "status" | "created_at"> {
  readonly topic_status: LockedTopic["status"]
  readonly topic_created_at: string
}

/** The maximum number of changes in a transaction. */
const maxBatch = 16

/**
 * Two batches can deadlock when they update the same counters. The lock timeout is shorter than the one second after
 * which Postgres searches for deadlocks.
 */
const shortWaits = ", set_config('lock_timeout', '100ms', true)"

export const make = Effect.fnUntraced(function* (sql: SqlClient) {
  const run = yield* sql.onDialectOrElse({ pg: () => batched(sql), orElse: () => Effect.succeed(alone(sql)) })
  return {
    one: <E>(id: ShareId, decide: (present: Assignment) => Result.Result<AssignmentChange, E>) =>
      Effect.withFiber(
        ({ context }) => run({ id, decide, caller: context as Context.Context<never> }) as Effect.Effect<Decision<E>>
      ),
    all: (ids: ReadonlyArray<ShareId>, decide: (present: Assignment) => AssignmentChange) =>
      Effect.withFiber(({ context }) => {
        const caller = context as Context.Context<never>
        const requests = ids.map(
          (id): Request => ({ id, caller, decide: (present) => Result.succeed(decide(present)) })
        )
        const decided = Effect.orDie(transact(sql, modify(sql, requests, forUpdate(sql))))
        return Effect.map(decided, (all) => all.flatMap(modifiedOf))
      })
  }
})

const modifiedOf = (decision: Decision<unknown>): ReadonlyArray<ModifiedAssignment> =>
  Option.isSome(decision) && Result.isSuccess(decision.value) ? [decision.value.success] : []

/**
 * Runs one change in its own transaction. If the change marks a mail as sent, but a later send attempt has claimed the
 * mail, the transaction is rolled back and the result contains the unchanged assignment.
 */
const alone =
  (sql: SqlClient) =>
  ({ caller, decide, id }: Request): Effect.Effect<Decision<unknown>> =>
    Effect.map(
      Effect.catchTag(transact(sql, modify(sql, [{ id, decide, caller }], forUpdate(sql))), "Overtaken", () =>
        Effect.orDie(
          transact(
            sql,
            modify(
              sql,
              [{ id, decide: (assignment) => Result.succeed({ assignment, notices: [] }), caller }],
              forUpdate(sql)
            )
          )
        )
      ),
      ([decided]) => decided ?? Option.none()
    )

/**
 * Runs changes of assignments in batches. A batch skips topics that another transaction has locked, and each change of
 * a skipped topic runs alone. If a batch fails, each change runs alone, so that one invalid change cannot fail other
 * changes.
 */
const batched = Effect.fnUntraced(function* (sql: SqlClient) {
  const one = alone(sql)
  const ask = (batch: ReadonlyArray<Request>) =>
    sql.withTransaction(modify(sql, batch, forUpdateSkipLocked(sql), shortWaits)).pipe(
      Effect.catchCause((cause) =>
        isOutcomeUnknown(cause)
          ? Effect.failCause(Cause.die(Cause.squash(cause)))
          : Effect.succeed(batch.map((): Decision<unknown> => Option.none()))
      ),
      Effect.map((decided) => decided.map((decision) => Exit.succeed(decision)))
    )
  const together = yield* BatchLoader.make(ask, { limit: maxBatch })
  return (request: Request) =>
    Effect.withFiber((fiber) =>
      isInTransaction(sql, fiber)
        ? one(request)
        : Effect.flatMap(together(request), (decided) =>
            Option.isNone(decided) ? one(request) : Effect.succeed(decided)
          )
    )
})

/** After an interruption or a lost connection, the process does not know whether Postgres committed the batch. */
const isOutcomeUnknown = (cause: Cause.Cause<unknown>): boolean =>
  Cause.hasInterrupts(cause) ||
  cause.reasons.some((reason) => {
    const error = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    return isSqlError(error) && error.reason._tag === "ConnectionError"
  })

/** Runs a part of the transaction with the caller's clock and trace spans. */
const inContextOf = <A, E>(sql: SqlClient, caller: Context.Context<never>, part: Effect.Effect<A, E>) =>
  Effect.updateContext(part, (present: Context.Context<never>) => {
    const transaction = Context.getOrUndefined(present, sql.transactionService)
    return transaction === undefined ? caller : Context.add(caller, sql.transactionService, transaction)
  })

/** Changes several assignments in one transaction. The statement locks the topic rows before the assignment rows. */
const modify = Effect.fnUntraced(function* (
  sql: SqlClient,
  requests: ReadonlyArray<Request>,
  lock: Fragment,
  more: string = ""
) {
  const [first] = requests
  const wanted =
    requests.length === 1
      ? sql`a.id = ${first?.id}`
      : sql`${isAmong(
          sql,
          requests.map(({ id }) => id)
        )} ORDER BY t.id, a.id`
  const rows = yield* sql<LockedRow>`SELECT ${sql.literal(assignmentWithTopicColumns)},
      t.status AS topic_status, t.created_at AS topic_created_at, topic_sent, opinion_injected,
      commentary_generated, creator_approved, declined, expired, abandoned, cancelled ${sql.literal(more)}
    FROM topics t JOIN assignments a ON a.topic_id = t.id WHERE ${wanted} ${lock}`
  /**
   * `found` and `topics` contain the state of each assignment and each topic after the previous changes of the
   * transaction.
   */
  const found = new Map(rows.map((row) => [row.id, assignmentInContextFromRow(row)]))
  const topics = new Map(rows.map((row) => [row.topic_id, lockedTopicOf(row)]))
  const decided: Array<Decision<unknown>> = []
  const changes: Array<Parameters<typeof writePreparedChanges>[0][number]> = []
  for (const { caller, decide, id } of requests) {
    const present = found.get(id)
    const topic = present === undefined ? undefined : topics.get(present.topic.id)
    if (present === undefined || topic === undefined) {
      decided.push(Option.none())
      continue
    }
    const inContext = <A, E>(part: Effect.Effect<A, E>) => inContextOf(sql, caller, part)
    const { decision, prepared } = decideOne(sql, present, topic, decide, yield* inContext(Instant.now))
    decided.push(Option.some(decision))
    if (prepared === undefined) continue
    changes.push({ ...prepared, inContext })
    topics.set(present.topic.id, prepared.topic)
    found.set(id, { ...present, assignment: prepared.assignment })
  }
  yield* writePreparedChanges(changes)
  return decided
})

const lockedTopicOf = (row: LockedRow): LockedTopic => ({
  id: row.topic_id,
  status: row.topic_status,
  created_at: row.topic_created_at,
  ...pickTopicCounts(row)
})

/**
 * On Postgres, the text of the statement is the same for any number of ids, so Postgres can reuse the prepared
 * statement.
 */
const isAmong = (sql: SqlClient, ids: ReadonlyArray<ShareId>): Fragment =>
  sql.onDialectOrElse({
    pg: () => sql`a.id = ANY(CAST(${toPostgresArray(ids)} AS TEXT[]))`,
    orElse: () => sql.in("a.id", ids)
  })

/** Calls `decide` for one assignment. If the decision needs no write, the result contains no prepared writes. */
const decideOne = (
  sql: SqlClient,
  { assignment: before, topic }: AssignmentWithTopic,
  locked: LockedTopic,
  decide: Request["decide"],
  now: Instant.Instant
) => {
  const decision = decide(before)
  if (Result.isFailure(decision)) return { decision: Result.fail(decision.failure) }
  const { assignment: after, delivered, mediaRequests = [], notices, readyMedium } = decision.success
  const nothing: ReadonlyArray<WorkNotification> = []
  if (after === before && delivered === undefined && readyMedium === undefined) {
    return { decision: Result.succeed({ before, after, topic, work: nothing }) }
  }
  const prepared = prepareAssignmentWrites(sql, locked, before, decision.success, now)
  const work: ReadonlyArray<WorkNotification | false> = [
    after.dueAt !== null &&
      after.dueAt !== before.dueAt &&
      makeDueWorkNotification(toAssignmentWorkKind(after.environment), after.dueAt, now),
    notices.length > 0 && "mails",
    prepared.events.length > 0 && "deliveries",
    mediaRequests.length > 0 && "media",
    increasesTopicVersion(before, after) && makeTopicChangeSignal(after.topicId),
    prepared.events.length > 0 && makeNewEventsSignal(after)
  ]
  const known = after === before ? nothing : work.filter((kind) => kind !== false)
  return {
    decision: Result.succeed({ before, after, topic, work: known }),
    prepared: { ...prepared, assignment: after }
  }
}
