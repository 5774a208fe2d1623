/** Sends events that are due to their webhooks and records each attempt. CircuitBreaker and DeliveryPlan decide what follows from it. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Semaphore from "effect/Semaphore"
import { AccessChanges, cacheLifetime } from "../access/AccessChanges.ts"
import { OrganizationStore } from "../partner/OrganizationStore.ts"
import { checking } from "../shared/DueTimes.ts"
import type { OrganizationId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import * as LogThrottle from "../shared/LogThrottle.ts"
import { Policy } from "../shared/Policy.ts"
import * as Subject from "../shared/Subject.ts"
import * as TtlCache from "../shared/TtlCache.ts"
import { WorkSignal } from "../shared/WorkSignal.ts"
import type { Attempt } from "./Attempt.ts"
import * as CircuitBreaker from "./CircuitBreaker.ts"
import { troubled } from "./ContactAlert.ts"
import { latestDue, next } from "./DeliveryPlan.ts"
import {
  type Claimed,
  type ClaimPlan,
  DeliveryStore,
  type Lane,
  type Settled,
  type Settlement
} from "./DeliveryStore.ts"
import { publicId, timeOfEvent } from "./Event.ts"
import * as Pause from "./Pause.ts"
import * as Throttle from "./Throttle.ts"
import * as WebhookSender from "./WebhookSender.ts"

/** A delivery to make, and whose it is. */
export interface DeliveryJob {
  readonly lane: Lane
  readonly claimed: Claimed
}

export interface Delivered {
  /** Must be delivered by whoever made the attempt. */
  readonly following: Option.Option<DeliveryJob>
  /** Whether this attempt changed when other deliveries are due. */
  readonly isNews: boolean
}

export class DeliveryWorker extends Context.Service<
  DeliveryWorker,
  {
    /**
     * Takes what is due, so many at most, a fair part for each webhook: each that has something due gets one before any
     * gets more where there is not room for all. Each must be delivered by whoever took it.
     */
    readonly take: (free: number, isScarce: boolean) => Effect.Effect<ReadonlyArray<DeliveryJob>>
    /**
     * One attempt. Never fails: failing is an outcome. A stop gives it back unsent. Where `mayGoOn` says so when the attempt
     * is over, the next one of the same webhook is taken in its place.
     */
    readonly deliver: (job: DeliveryJob, mayGoOn: Effect.Effect<boolean>) => Effect.Effect<Delivered>
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

      const repair = yield* checking((now) =>
        Effect.andThen(
          store.repairPauses(Pause.latestEnd(now, webhooks), (present) => Pause.isPutOff(present, now, webhooks)),
          store.repairDueTimes(latestDue(now, lease, webhooks))
        )
      )

      /** Of a suspended organization, and of one that is gone, everything is held. */
      const held = yield* TtlCache.make(
        (id: OrganizationId) =>
          Effect.map(organizations.find(id), (found) => Option.isNone(found) || found.value.suspendedAt !== null),
        { capacity: 10_000, timeToLive: cacheLifetime }
      )
      yield* (yield* AccessChanges).subscribe((changed) => (changed === "" ? held.invalidate(() => true) : Effect.void))

      const taking = (now: Instant.Instant, limit: number): ClaimPlan => ({
        allow: (present, inFlight) => {
          const allowed = CircuitBreaker.allowance(present, inFlight, now, webhooks)
          return { ...allowed, limit: Math.min(allowed.limit, limit) }
        },
        taken: (present, allowed, count) => CircuitBreaker.afterClaim(present, { ...allowed, count }, now, webhooks)
      })

      const holdBack = (lane: Lane, now: Instant.Instant) =>
        store.postpone(lane.webhookId, Instant.plus(now, Pause.suspensionCheck))

      const takeFrom = Effect.fnUntraced(function* (lane: Lane, limit: number) {
        const now = yield* Instant.now
        if (yield* held.get(lane.organizationId)) return yield* Effect.as(holdBack(lane, now), [])
        const claimed = yield* store.claim(lane.webhookId, now, Instant.plus(now, lease), taking(now, limit))
        return claimed.map((one): DeliveryJob => ({ lane, claimed: one }))
      })

      const release = (claimed: Claimed) => Effect.flatMap(Instant.now, (now) => store.release(claimed, now))

      const settled =
        (claimed: Claimed, attempt: Attempt, chance: number, now: Instant.Instant) =>
        (present: CircuitBreaker.Receiver): Settlement => {
          const { eventId, kind } = claimed
          const { alarm, receiver } = CircuitBreaker.afterAttempt(
            present,
            { attempt, eventId, probe: kind === "probe" },
            now,
            webhooks
          )
          const isExhausted = Throttle.isExhausted(receiver.health.throttle, timeOfEvent(eventId), now, webhooks)
          return {
            receiver,
            next: next(claimed, { attempt, kind, isExhausted }, chance, now, webhooks),
            ...troubled(receiver, alarm, attempt, now)
          }
        }

      const writeDown = Effect.fnUntraced(function* (
        { claimed, lane }: DeliveryJob,
        attempt: Attempt,
        mayGoOn: Effect.Effect<boolean>
      ) {
        const chance = yield* Random.next
        const goesOn = yield* mayGoOn
        const isHeld = goesOn && (yield* held.get(lane.organizationId))
        const now = yield* Instant.now
        const following = goesOn && !isHeld ? { lease: Instant.plus(now, lease), taking: taking(now, 1) } : undefined
        const decide = settled(claimed, attempt, chance, now)
        const outcome = Option.getOrNull(yield* store.settle(claimed, attempt, now, decide, following))
        if (outcome === null) return { following: Option.none<DeliveryJob>(), isNews: false }
        if (isHeld) yield* holdBack(lane, now)
        if (CircuitBreaker.alertsContact(outcome.before, outcome.after)) yield* signal.notify
        if (isDisabledNow(outcome)) yield* reportDisabled(outcome.after, attempt)
        const [next] = outcome.following
        return {
          following: next === undefined ? Option.none<DeliveryJob>() : Option.some({ lane, claimed: next }),
          isNews: following === undefined || attempt.failure !== null || !CircuitBreaker.isUnrestricted(outcome.before)
        }
      })

      return DeliveryWorker.of({
        take: Effect.fnUntraced(function* (free, isScarce) {
          const limit = isScarce ? 1 : webhooks.concurrency
          const now = yield* Instant.now
          yield* repair(now)
          const lanes = yield* store.lanes(now, webhooks.concurrency, Math.ceil(free / limit))
          const taken = yield* Effect.forEach(lanes, (lane) => takeFrom(lane, limit), { concurrency: "unbounded" })
          return taken.flat()
        }),

        deliver: Effect.fn("DeliveryWorker.deliver")(function* (job, mayGoOn) {
          const { eventId, payload, encryptedSecret, url, webhookId: id } = job.claimed
          const attempt = yield* Effect.interruptible(
            send({ webhook: { id, url }, encryptedSecret, eventId: publicId(eventId), payload })
          ).pipe(Effect.onInterrupt(() => release(job.claimed)))
          yield* Effect.annotateCurrentSpan(described(job.claimed, attempt))
          const subject = Subject.ofPayload(payload, job.lane.organizationId)
          yield* Subject.markEvent(eventId, subject)
          const written = writeDown(job, attempt, mayGoOn)
          if (attempt.failure === null) return yield* written
          return yield* Effect.ensuring(failures.withPermit(written), report(job.claimed, attempt, subject()))
        }, Effect.uninterruptible),

        nextDue: store.nextDue
      })
    })
  )
}

/** How many failures are written down side by side: where hundreds time out together, what arrived is not kept waiting. */
const failuresAtOnce = 4

/** For whoever follows one attempt: never the URL, which may hold a secret of the receiver's. */
const described = ({ eventId, kind, ticket, webhookId }: Claimed, { failure, status }: Attempt) => ({
  "webhook.id": webhookId,
  "event.id": publicId(eventId),
  "attempt.number": ticket,
  "attempt.kind": kind,
  "attempt.outcome": failure ?? "success",
  "attempt.status": status
})

const isDisabledNow = ({ after, before }: Settled): boolean =>
  after.webhook.status === "disabled" && before.webhook.status !== "disabled"

/** Once it is kept. Its contact is mailed, where there is one. */
const reportDisabled = ({ health, webhook }: CircuitBreaker.Receiver, { at, failure, reason, status }: Attempt) =>
  Effect.annotateLogs(Effect.logWarning("A webhook was disabled"), {
    webhook: webhook.id,
    organization: webhook.owner.organizationId,
    environment: webhook.owner.environment,
    failures: webhook.consecutiveFailures,
    since: Instant.toIso(health.failingSince ?? at),
    ...{ failure, reason, status },
    mend: "when its receiver answers again: webhook enable, or the partner makes it active"
  })

/** What we could not sign is the operator's to mend. */
const report = (
  { eventId, kind, ticket, webhookId }: Claimed,
  { failure, reason, status }: Attempt,
  subject: Subject.Subject
) =>
  Effect.annotateLogs(
    failure === "unsigned"
      ? Effect.logError(
          "A webhook's secret cannot be opened; bring back the entry of SIGNING_SECRET it was sealed under"
        )
      : LogThrottle.repeating(Effect.logInfo("An event was not delivered")),
    {
      ...Subject.named(subject, "_"),
      webhook: webhookId,
      event: eventId,
      attempt: ticket,
      kind,
      failure,
      reason,
      status
    }
  )
