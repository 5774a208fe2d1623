/**
 * Stores delivery attempts and their consequences under the lock of the webhook. On Postgres, delivery attempts to one
 * webhook that end at the same time share a transaction. In separate transactions, each attempt would wait for the
 * webhook's lock.
 */
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { DeliveryAttempt } from "@partner-commentary/core/webhook/Attempt"
import * as CircuitBreaker from "@partner-commentary/core/webhook/CircuitBreaker"
import type {
  ClaimedDelivery,
  DeliveryClaimPlan,
  DeliverySettlement,
  DeliverySettlementResult
} from "@partner-commentary/core/webhook/DeliveryStore"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment, Statement } from "effect/sql/Statement"
import * as BatchLoader from "../database/BatchLoader.ts"
import * as CombinedWrites from "../database/CombinedWrites.ts"
import { isInTransaction, transact } from "../database/Transaction.ts"
import * as AuditLog from "../operations/AuditLog.ts"
import * as ContactNotices from "./ContactNotices.ts"
import { type ReceiverRow, receiverFromRow } from "./WebhookRow.ts"

interface Ended {
  readonly claimed: ClaimedDelivery
  readonly attempt: DeliveryAttempt
  readonly at: Instant.Instant
  readonly decide: (present: CircuitBreaker.ReceiverState) => DeliverySettlement
  readonly following?: { readonly lease: Instant.Instant; readonly taking: DeliveryClaimPlan }
}

/**
 * Reads and writes the webhook's row and queue. The surrounding transaction must hold the lock of the webhook's row.
 */
interface Queue {
  readonly locked: (id: ClaimedDelivery["webhookId"]) => Effect.Effect<ReceiverRow | undefined, SqlError>
  readonly take: (
    receiver: CircuitBreaker.ReceiverState,
    row: ReceiverRow,
    at: Instant.Instant,
    lease: Instant.Instant,
    taking: DeliveryClaimPlan
  ) => Effect.Effect<
    { readonly receiver: CircuitBreaker.ReceiverState; readonly claimed: ReadonlyArray<ClaimedDelivery> },
    SqlError
  >
  readonly keep: (receiver: CircuitBreaker.ReceiverState) => Statement<unknown>
}

interface ArrivalRow {
  readonly started_at: string
  readonly duration: number
}

type Settled = Option.Option<DeliverySettlementResult>

/** The maximum number of attempts in a transaction. */
const maxBatch = 10

export const make = (sql: SqlClient, queue: Queue) => {
  const alone = (ended: Ended): Effect.Effect<Settled> =>
    Effect.map(transact(sql, settle(sql, queue, [ended])), ([settled]) => settled ?? Option.none())
  return sql.onDialectOrElse({ pg: () => batched(sql, queue, alone), orElse: () => Effect.succeed(alone) })
}

/**
 * Stores delivery attempts in batches. If a batch fails, each attempt is stored alone, so that only the invalid attempt
 * fails.
 */
const batched = Effect.fnUntraced(function* (
  sql: SqlClient,
  queue: Queue,
  alone: (ended: Ended) => Effect.Effect<Settled>
) {
  const eachAlone = (batch: ReadonlyArray<Ended>) => Effect.forEach(batch, (ended) => Effect.exit(alone(ended)))
  const ask = (batch: ReadonlyArray<Ended>) =>
    new Set(batch.map(({ claimed }) => claimed.eventId)).size < batch.length || batch.length === 1
      ? eachAlone(batch)
      : Effect.catchCause(
          Effect.map(transact(sql, settle(sql, queue, batch)), (settled) => settled.map((one) => Exit.succeed(one))),
          () => eachAlone(batch)
        )
  const settleTogether = yield* BatchLoader.make(ask, {
    keyOf: ({ claimed }: Ended) => claimed.webhookId,
    limit: maxBatch
  })
  return (ended: Ended) =>
    Effect.withFiber((fiber) => (isInTransaction(sql, fiber) ? alone(ended) : settleTogether(ended)))
})

/**
 * Stores attempts at different deliveries of one webhook. The receiver's state after one attempt is the input of the
 * decision about the next attempt.
 */
const settle = Effect.fnUntraced(function* (
  sql: SqlClient,
  { keep, locked, take }: Queue,
  batch: ReadonlyArray<Ended>
): Effect.fn.Return<ReadonlyArray<Settled>, SqlError> {
  const [first] = batch
  const row = first && (yield* locked(first.claimed.webhookId))
  if (row === undefined) return batch.map(() => Option.none())
  const settled: Array<DeliverySettlementResult> = []
  const writes: Array<CombinedWrites.WriteStatement> = []
  let receiver = receiverFromRow(row)
  for (const { at, attempt, claimed, decide } of batch) {
    const before = receiver
    const settlement = decide(before)
    const isDelivered = settlement.next.state === "delivered"
    writes.push(
      { statement: insertAttempt(sql, claimed, attempt) },
      { statement: yield* move(sql, claimed, attempt, settlement, at), returning: "1" }
    )
    // If the worker was suspended until its lease ended, a failed attempt says nothing about the receiver and does not
    // count.
    const counts = isDelivered || (yield* CombinedWrites.run(sql, writes.splice(0))).at(-1) !== null
    if (counts) {
      const { audit, notice } = settlement
      const { organizationId } = settlement.receiver.webhook.owner
      receiver = settlement.receiver
      if (audit !== null) yield* AuditLog.appendEntry(sql, { ...audit, subject: claimed.webhookId, organizationId }, at)
      if (notice !== null) yield* ContactNotices.queueContactNotice(sql, notice)
    }
    settled.push({ before, after: receiver, following: [] })
  }
  yield* CombinedWrites.run(sql, [...writes, { statement: keep(receiver) }])
  const continuing = batch.flatMap(({ at, following }, index) =>
    following === undefined ? [] : [{ ...following, at, index }]
  )
  const [leader] = continuing
  if (leader === undefined) return settled.map(Option.some)
  const plan = combinePlans(
    leader.taking,
    continuing.map(({ taking }) => taking)
  )
  const taken = yield* take(receiver, row, leader.at, leader.lease, plan)
  // A claim changes the webhook's row only while the receiver recovers.
  if (taken.receiver !== receiver) yield* keep(taken.receiver)
  return settled.map((one, index) => {
    const shareOf = continuing.findIndex((other) => other.index === index)
    const following = shareOf < 0 ? [] : taken.claimed.filter((_, place) => place % continuing.length === shareOf)
    return Option.some({ ...one, after: index === batch.length - 1 ? taken.receiver : one.after, following })
  })
})

/**
 * Combines the claim plans of several attempts into one claim. While the receiver fails or recovers, the claim takes at
 * most as many deliveries as a single plan allows.
 */
const combinePlans = (leader: DeliveryClaimPlan, plans: ReadonlyArray<DeliveryClaimPlan>): DeliveryClaimPlan => ({
  allow: (present, inFlight) =>
    CircuitBreaker.isUnrestricted(present)
      ? {
          limit: plans.reduce((limit, { allow }) => limit + allow(present, inFlight + limit).limit, 0),
          probe: false
        }
      : leader.allow(present, inFlight),
  taken: leader.taken
})

/** Returns the time at which the attempt ended, even if other attempts of the batch ended later. */
const arrivalOf = ({ at, duration }: Pick<DeliveryAttempt, "at" | "duration">): Instant.Instant => at + duration

const firstArrival = (sql: SqlClient, isDelivery: Fragment) =>
  Effect.map(
    sql<ArrivalRow>`SELECT started_at, duration FROM delivery_attempts
      WHERE ${isDelivery} AND failure IS NULL ORDER BY claim_number LIMIT 1`,
    ([row]) =>
      row === undefined ? undefined : arrivalOf({ at: Instant.fromIso(row.started_at), duration: Number(row.duration) })
  )

const move = Effect.fnUntraced(function* (
  sql: SqlClient,
  { eventId, kind, ticket, url, webhookId }: ClaimedDelivery,
  attempt: DeliveryAttempt,
  { next, receiver }: DeliverySettlement,
  at: Instant.Instant
) {
  const isDelivery = sql`webhook_id = ${webhookId} AND event_id = ${eventId}`
  const isCurrentClaim = sql`${isDelivery} AND claim_number = ${ticket} AND is_leased = 1`
  if (next.state !== "pending") {
    // A delivery that succeeded once stays delivered when the event is sent again, whatever the result of the new
    // attempt is.
    const arrived =
      next.state === "delivered" && kind === "scheduled" ? undefined : yield* firstArrival(sql, isDelivery)
    if (next.state === "delivered") {
      return sql`UPDATE deliveries SET state = 'delivered', due_at = NULL, is_leased = 0, manual = 0, resume_at = NULL,
        settled_at = ${Instant.toIso(arrived ?? arrivalOf(attempt))} WHERE ${isDelivery} AND state <> 'delivered'`
    }
    const state = arrived === undefined ? "failed" : "delivered"
    return sql`UPDATE deliveries SET state = ${state}, due_at = NULL, is_leased = 0, manual = 0, resume_at = NULL,
      settled_at = ${Instant.toIso(arrived ?? at)}, attempts = ${next.attempts} WHERE ${isCurrentClaim}`
  }
  const isAskedStill = kind === "probe" || attempt.failure === "unsigned" || url !== receiver.webhook.url
  const reset = isAskedStill ? sql.literal("") : sql.literal(", manual = 0, resume_at = NULL")
  return sql`UPDATE deliveries SET due_at = ${Instant.toIso(next.dueAt)}, is_leased = 0, attempts = ${next.attempts}
    ${reset} WHERE ${isCurrentClaim}`
})

const insertAttempt = (
  sql: SqlClient,
  { eventId, kind, ticket, webhookId }: ClaimedDelivery,
  { at, ...attempt }: DeliveryAttempt
) =>
  sql`INSERT INTO delivery_attempts ${sql.insert({
    webhook_id: webhookId,
    event_id: eventId,
    claim_number: ticket,
    kind,
    started_at: Instant.toIso(at),
    duration: attempt.duration,
    status: attempt.status,
    failure: attempt.failure,
    reason: attempt.reason,
    excerpt: attempt.excerpt
  })}`
