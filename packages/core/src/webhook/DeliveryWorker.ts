/**
 * Sends due events to webhooks and records each attempt. After an attempt, CircuitBreaker and DeliveryPlan decide the
 * next step.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Semaphore from "effect/Semaphore"
import { AccessChanges, apiKeyCacheLifetime } from "../access/AccessChanges.ts"
import { OrganizationStore } from "../partner/OrganizationStore.ts"
import { makePeriodicRepair } from "../shared/DueTimes.ts"
import type { OrganizationId, WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import * as LogContext from "../shared/LogContext.ts"
import * as LogThrottle from "../shared/LogThrottle.ts"
import { Policy } from "../shared/Policy.ts"
import * as TtlCache from "../shared/TtlCache.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import type { DeliveryAttempt } from "./Attempt.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import { makeAlertNoticeAndAudit } from "./ContactAlert.ts"
import { calculateLatestPlausibleDeliveryDueTimes, decideNextDeliveryState } from "./DeliveryPlan.ts"
import {
  type ClaimedDelivery,
  type DeliveryClaimPlan,
  type DeliverySettlement,
  type DeliverySettlementResult,
  DeliveryStore,
  type DueWebhook
} from "./DeliveryStore.ts"
import { extractEventTime, formatPublicEventId } from "./Event.ts"
import * as Pause from "./Pause.ts"
import * as Throttle from "./Throttle.ts"
import * as WebhookSender from "./WebhookSender.ts"

/** A claimed delivery, and the organization that owns the webhook. */
export interface DeliveryJob {
  readonly organizationId: OrganizationId
  readonly claimed: ClaimedDelivery
}

export class DeliveryWorker extends Context.Service<
  DeliveryWorker,
  {
    /**
     * Claims due deliveries for the caller, and the caller runs them. While worker slots are scarce, `claim` claims one
     * delivery of each webhook. If worker slots are not scarce, `claim` claims deliveries of a webhook up to its
     * concurrency limit.
     */
    readonly claim: (free: number, isScarce: boolean) => Effect.Effect<ReadonlyArray<DeliveryJob>>
    /**
     * Makes the attempt and records the outcome. Continues with the webhook's next due delivery while `mayContinue` is
     * true. The effect never fails, and an interruption releases the claimed delivery. Returns whether more deliveries
     * may be due.
     */
    readonly run: (job: DeliveryJob, mayContinue: Effect.Effect<boolean>) => Effect.Effect<boolean>
    readonly nextDue: Effect.Effect<Option.Option<Instant.Instant>>
  }
>()("@partner-commentary/core/webhook/DeliveryWorker") {
  static readonly layer = Layer.effect(
    DeliveryWorker,
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const organizations = yield* OrganizationStore
      const policy = yield* Policy
      const signal = yield* WorkSignal
      const send = yield* WebhookSender.make
      const { webhooks } = policy
      const lease = Duration.max(policy.lease, Duration.times(webhooks.timeout, 2))
      const failures = yield* Semaphore.make(failuresAtOnce)

      const repair = yield* makePeriodicRepair((now) =>
        Effect.andThen(
          store.repairPauses(Pause.calculateLatestPauseEnd(now, webhooks), (present) =>
            Pause.isPauseTooLong(present, now, webhooks)
          ),
          store.repairDueTimes(calculateLatestPlausibleDeliveryDueTimes(now, lease, webhooks))
        )
      )

      /**
       * Caches whether an organization is suspended or deleted. The deliveries of a suspended or deleted organization
       * are postponed.
       */
      const held = yield* TtlCache.make(
        (id: OrganizationId) =>
          Effect.map(organizations.find(id), (found) => Option.isNone(found) || found.value.suspendedAt !== null),
        { capacity: 10_000, timeToLive: apiKeyCacheLifetime }
      )
      yield* (yield* AccessChanges).subscribe((changed) => (changed === "" ? held.invalidate(() => true) : Effect.void))

      const upTo = (limit: number, now: Instant.Instant): DeliveryClaimPlan => ({
        allow: (present, inFlight) => {
          const allowed = CircuitBreaker.calculateDeliveryAllowance(present, inFlight, now, webhooks)
          return { ...allowed, limit: Math.min(allowed.limit, limit) }
        },
        taken: (present, allowed, count) =>
          CircuitBreaker.updateAfterClaim(present, { ...allowed, count }, now, webhooks)
      })

      const postpone = (webhookId: WebhookId, now: Instant.Instant) =>
        store.postpone(webhookId, Instant.plus(now, Pause.suspensionCheckInterval))

      /** Returns none if the organization is suspended or deleted, so that the webhook is postponed. */
      const claimFrom = Effect.fnUntraced(function* ({ organizationId, webhookId }: DueWebhook, limit: number) {
        const now = yield* Instant.now
        if (yield* held.get(organizationId)) return yield* Effect.as(postpone(webhookId, now), Option.none())
        const claimed = yield* store.claim(webhookId, now, Instant.plus(now, lease), upTo(limit, now))
        return Option.some(claimed.map((one): DeliveryJob => ({ organizationId, claimed: one })))
      })

      /** Continues with the next webhooks if all found webhooks are postponed, because they may fill every batch. */
      const claimDue: (free: number, limit: number) => Effect.Effect<ReadonlyArray<DeliveryJob>> = Effect.fnUntraced(
        function* (free, limit) {
          const due = yield* store.dueWebhooks(yield* Instant.now, webhooks.concurrency, Math.ceil(free / limit))
          const claimed = yield* Effect.forEach(due, (webhook) => claimFrom(webhook, limit), {
            concurrency: "unbounded"
          })
          return due.length > 0 && claimed.every(Option.isNone)
            ? yield* claimDue(free, limit)
            : claimed.flatMap(Option.toArray).flat()
        }
      )

      const settled =
        (claimed: ClaimedDelivery, attempt: DeliveryAttempt, chance: number, now: Instant.Instant) =>
        (present: CircuitBreaker.ReceiverState): DeliverySettlement => {
          const { eventId, kind } = claimed
          // The result of a former URL says nothing about the present receiver. As after a failed probe, the delivery
          // is due now and the attempt does not count.
          if (claimed.url !== present.webhook.url) {
            const next = decideNextDeliveryState(claimed, { attempt, kind: "probe" }, chance, now, webhooks)
            return { receiver: present, next, notice: null, audit: null }
          }
          const { alarm, receiver } = CircuitBreaker.updateAfterAttempt(
            present,
            { attempt, eventId, probe: kind === "probe" },
            now,
            webhooks
          )
          const isExhausted = Throttle.isThrottledForFullSchedule(
            receiver.health.throttle,
            extractEventTime(eventId),
            now,
            webhooks
          )
          return {
            receiver,
            next: decideNextDeliveryState(claimed, { attempt, kind, isExhausted }, chance, now, webhooks),
            ...makeAlertNoticeAndAudit(receiver, alarm, attempt, now)
          }
        }

      const record = Effect.fnUntraced(function* (
        { claimed, organizationId }: DeliveryJob,
        attempt: DeliveryAttempt,
        mayContinue: Effect.Effect<boolean>
      ) {
        const chance = yield* Random.next
        const continues = yield* mayContinue
        const isHeld = continues && (yield* held.get(organizationId))
        const now = yield* Instant.now
        const following = continues && !isHeld ? { lease: Instant.plus(now, lease), taking: upTo(1, now) } : undefined
        const decide = settled(claimed, attempt, chance, now)
        const outcome = Option.getOrNull(yield* store.settle(claimed, attempt, now, decide, following))
        if (outcome === null) return { affectsOthers: false }
        if (isHeld) yield* postpone(claimed.webhookId, now)
        if (CircuitBreaker.needsContactAlert(outcome.before, outcome.after)) yield* signal.notify
        if (isDisabledNow(outcome)) yield* reportDisabled(outcome.after, attempt)
        const [next] = outcome.following
        return {
          ...(next === undefined ? {} : { next: { organizationId, claimed: next } }),
          affectsOthers:
            following === undefined || attempt.failure !== null || !CircuitBreaker.isUnrestricted(outcome.before)
        }
      })

      const deliver = Effect.fn("DeliveryWorker.deliver")(function* (
        job: DeliveryJob,
        mayContinue: Effect.Effect<boolean>
      ) {
        const { eventId, payload, encryptedSecret, formerSecret, url, webhookId: id } = job.claimed
        const logContext = LogContext.makePayloadLogContextReader(payload, job.organizationId)
        const attempt = yield* Effect.interruptible(
          send({
            webhook: { id, url },
            encryptedSecret,
            formerSecret,
            eventId: formatPublicEventId(eventId),
            payload,
            logContext
          })
        ).pipe(Effect.onInterrupt(() => Effect.flatMap(Instant.now, (now) => store.release(job.claimed, now))))
        yield* Effect.annotateCurrentSpan(spanAttributes(job.claimed, attempt))
        yield* LogContext.markDeliverySpan(eventId, logContext)
        const recorded = record(job, attempt, mayContinue)
        if (attempt.failure === null) return yield* recorded
        return yield* Effect.ensuring(failures.withPermit(recorded), report(job.claimed, attempt, logContext()))
      })

      /** A worker slot sends several events in sequence, so the log line about a defect must name the failed event. */
      const deliverNamed = (job: DeliveryJob, mayContinue: Effect.Effect<boolean>) =>
        Effect.tapCause(deliver(job, mayContinue), () =>
          LogContext.replaceLogContext(
            LogContext.makePayloadLogContextReader(job.claimed.payload, job.organizationId)()
          )
        )

      const run = Effect.fnUntraced(function* (job: DeliveryJob, mayContinue: Effect.Effect<boolean>) {
        let ended = yield* deliverNamed(job, mayContinue)
        while (ended.next !== undefined) {
          if (ended.affectsOthers) yield* signal.tell(["deliveries"])
          ended = yield* deliverNamed(ended.next, mayContinue)
        }
        return ended.affectsOthers
      }, Effect.uninterruptible)

      return DeliveryWorker.of({
        claim: Effect.fnUntraced(function* (free, isScarce) {
          yield* repair(yield* Instant.now)
          return yield* claimDue(free, isScarce ? 1 : webhooks.concurrency)
        }),
        run,
        nextDue: store.nextDue
      })
    })
  )
}

/**
 * The number of failures that are recorded concurrently. Without a limit on failures, hundreds of simultaneous timeouts
 * would delay the recording of successes.
 */
const failuresAtOnce = 4

/** The span attributes omit the webhook's URL, because the URL may contain a secret of the receiver. */
const spanAttributes = (
  { eventId, kind, ticket, webhookId }: ClaimedDelivery,
  { failure, status }: DeliveryAttempt
) => ({
  "webhook.id": webhookId,
  "event.id": formatPublicEventId(eventId),
  "attempt.number": ticket,
  "attempt.kind": kind,
  "attempt.outcome": failure ?? "success",
  "attempt.status": status
})

const isDisabledNow = ({ after, before }: DeliverySettlementResult): boolean =>
  after.webhook.status === "disabled" && before.webhook.status !== "disabled"

const reportDisabled = (
  { health, webhook }: CircuitBreaker.ReceiverState,
  { at, failure, reason, status }: DeliveryAttempt
) =>
  Effect.annotateLogs(Effect.logWarning("A webhook was disabled"), {
    webhook: webhook.id,
    organization: webhook.owner.organizationId,
    environment: webhook.owner.environment,
    failures: webhook.consecutiveFailures,
    since: Instant.toIso(health.failingSince ?? at),
    ...{ failure, reason, status },
    mend: "when its receiver answers again: activate it (webhook enable, or pc.webhooks.update), or the partner does"
  })

/** A failure to sign is logged as an error, because only the operator can restore the missing signing secret. */
const report = (
  { eventId, kind, ticket, webhookId }: ClaimedDelivery,
  { failure, reason, status }: DeliveryAttempt,
  logContext: LogContext.LogContext
) =>
  Effect.annotateLogs(
    failure === "unsigned"
      ? Effect.logError("A webhook's secret cannot be decrypted; restore the entry of SIGNING_SECRET that encrypted it")
      : LogThrottle.markLogsAsRepeating(Effect.logInfo("An event was not delivered")),
    {
      ...LogContext.formatLogContextAttributes(logContext, "_"),
      webhook: webhookId,
      event: formatPublicEventId(eventId),
      attempt: ticket,
      kind,
      failure,
      reason,
      status
    }
  )
