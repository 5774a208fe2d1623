/** Defines all kinds of jobs. Any number of processes may run these jobs on one database. */
import type { MediaJob } from "@partner-commentary/core/commentary/MediaJob"
import { MediaWorker } from "@partner-commentary/core/commentary/MediaWorker"
import type { Mail } from "@partner-commentary/core/mail/Mail"
import { MailWorker } from "@partner-commentary/core/mail/MailWorker"
import { Retention } from "@partner-commentary/core/operations/Retention"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { Environment } from "@partner-commentary/core/shared/Owner"
import { Policy } from "@partner-commentary/core/shared/Policy"
import type { WorkKind } from "@partner-commentary/core/shared/WorkSignal"
import { type DeliveryJob, DeliveryWorker } from "@partner-commentary/core/webhook/DeliveryWorker"
import { formatPublicEventId } from "@partner-commentary/core/webhook/Event"
import { recoveryBatchSize, WebhookRecovery } from "@partner-commentary/core/webhook/WebhookRecovery"
import { Webhooks } from "@partner-commentary/core/webhook/Webhooks"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Ref from "effect/Ref"
import { makeAssignmentJobRunner } from "./AssignmentJobs.ts"
import * as JobRunner from "./JobRunner.ts"
import { WorkerSettings } from "./WorkerSettings.ts"

const mails = Effect.gen(function* () {
  const { claim, nextDue, run } = yield* MailWorker
  return yield* JobRunner.make<Mail>({
    kind: "mails",
    limit: (yield* WorkerSettings).mails,
    claim: JobRunner.makeBatchClaim(claim),
    run: (mail) => Effect.as(run(mail), false),
    nextDue,
    describe: ({ shareId }) => ({ share_id: shareId })
  })
})

/**
 * Each slot sends the due events of one webhook, one after another. While fewer than half of the slots are free, a slot
 * sends only one event, so that other webhooks get slots.
 */
const deliveries = Effect.gen(function* () {
  const { claim, nextDue, run } = yield* DeliveryWorker
  const limit = (yield* WorkerSettings).deliveries
  const isScarce = (free: number) => free < limit / 2
  return yield* JobRunner.make<DeliveryJob>({
    kind: "deliveries",
    limit,
    claim: JobRunner.makeBatchClaim((free) => claim(free, isScarce(free))),
    run: (job, { free }) =>
      run(
        job,
        Effect.sync(() => !isScarce(free()))
      ),
    nextDue,
    describe: ({ claimed }) => ({ webhook: claimed.webhookId, event: formatPublicEventId(claimed.eventId) })
  })
})

const media = Effect.gen(function* () {
  const { claim, nextDue, run } = yield* MediaWorker
  return yield* JobRunner.make<MediaJob>({
    kind: "media",
    limit: (yield* WorkerSettings).media,
    claim: JobRunner.makeBatchClaim(claim),
    run: (job) => Effect.as(run(job), true),
    nextDue,
    describe: ({ shareId }) => ({ share_id: shareId })
  })
})

/** Defines work whose polls make changes in batches and start no jobs. */
const batches = (kind: WorkKind, claim: JobRunner.JobDefinition<never>["claim"]) =>
  JobRunner.make<never>({
    kind,
    limit: 0,
    claim,
    run: () => Effect.succeed(false),
    describe: () => ({})
  })

const recoveries = Effect.gen(function* () {
  const { advance } = yield* WebhookRecovery
  return yield* batches("recoveries", ({ pause }) =>
    Effect.flatMap(
      advance,
      Option.match({
        onNone: () => Effect.succeed(0),
        onSome: (moved) => Effect.as(moved < recoveryBatchSize ? Effect.void : pause, 1)
      })
    )
  )
})

/**
 * Creates the job runner that first deletes the deliveries of removed webhooks, and then deletes expired data of the
 * test environment.
 */
export const makeDeletionJobRunner = Effect.gen(function* () {
  const { clear } = yield* Webhooks
  const { purgeTests } = yield* Retention
  const { testRetention } = yield* Policy
  const lastEmptyAt = yield* Ref.make<Instant.Instant | null>(null)
  const purge = Effect.gen(function* () {
    const now = yield* Instant.now
    const last = yield* Ref.get(lastEmptyAt)
    if (last !== null && Math.abs(now - last) < Duration.toMillis(purgeInterval)) return 0
    const gone = yield* purgeTests(Instant.plus(now, Duration.negate(testRetention)))
    yield* Ref.set(lastEmptyAt, gone === 0 ? now : null)
    return gone
  })
  return yield* batches("removals", ({ pause }) =>
    Effect.tap(
      Effect.flatMap(clear, (gone) => (gone > 0 ? Effect.succeed(gone) : purge)),
      (gone) => (gone > 0 ? pause : Effect.void)
    )
  )
})

/** The pause after a search that found no test data to delete. */
const purgeInterval = Duration.minutes(10)

const definitions = [
  ...Environment.literals.map(makeAssignmentJobRunner),
  mails,
  deliveries,
  recoveries,
  makeDeletionJobRunner,
  media
] as const

/** The effects that create the job runners, one for each kind of job. */
export const jobRunnerConstructors: ReadonlyArray<
  Effect.Effect<JobRunner.JobRunner, never, Effect.Services<(typeof definitions)[number]>>
> = definitions
