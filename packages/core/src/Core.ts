/**
 * All use cases as one layer. The layer requires ports only: stores, mailer, generator, webhook transport, identity,
 * signing secrets, the public address.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { AccessChanges } from "./access/AccessChanges.ts"
import { ApiKeys } from "./access/ApiKeys.ts"
import { ConcurrencyLimit } from "./access/ConcurrencyLimit.ts"
import { DashboardAuthentication } from "./access/DashboardAuthentication.ts"
import { LongPolls } from "./access/LongPolls.ts"
import { RateLimits } from "./access/RateLimits.ts"
import { RateWindows } from "./access/RateWindows.ts"
import { WaitingReadLimiter } from "./access/WaitingReadLimiter.ts"
import { DraftWorker } from "./commentary/DraftWorker.ts"
import { MediaWorker } from "./commentary/MediaWorker.ts"
import { PartnerApproval } from "./commentary/PartnerApproval.ts"
import { CreatorAdministration } from "./creator/CreatorAdministration.ts"
import { CreatorPortal } from "./creator/CreatorPortal.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { CreatorLinks } from "./mail/CreatorLinks.ts"
import { MailWorker } from "./mail/MailWorker.ts"
import { DueAssignments } from "./operations/DueAssignments.ts"
import { PerformanceReporting } from "./performance/PerformanceReporting.ts"
import { Personas } from "./persona/Personas.ts"
import { SimulatedCreators } from "./sandbox/SimulatedCreators.ts"
import { Encryption } from "./shared/Encryption.ts"
import * as SharedState from "./shared/SharedState.ts"
import { WorkSignal } from "./shared/WorkSignal.ts"
import { TopicCancellation } from "./topic/TopicCancellation.ts"
import { Topics } from "./topic/Topics.ts"
import { ApiCallCounter } from "./usage/ApiCallCounter.ts"
import { UsageReports } from "./usage/UsageReports.ts"
import { Deliveries } from "./webhook/Deliveries.ts"
import { DeliveryWorker } from "./webhook/DeliveryWorker.ts"
import { EventHistory } from "./webhook/EventHistory.ts"
import { TestEventSender } from "./webhook/TestEventSender.ts"
import { WebhookRecovery } from "./webhook/WebhookRecovery.ts"
import { Webhooks } from "./webhook/Webhooks.ts"

/**
 * State for a deployment with a single process: rate limits, work signals and cache invalidation. The Postgres layers
 * replace `layerProcess` with state that processes share.
 */
export const layerProcess = Layer.mergeAll(RateWindows.layerMemory, AccessChanges.layerProcess, WorkSignal.layerProcess)

const shared = Effect.gen(function* () {
  return { RateWindows: yield* RateWindows, AccessChanges: yield* AccessChanges, WorkSignal: yield* WorkSignal }
})

export const layer = Layer.mergeAll(
  ApiKeys.layer,
  Layer.provideMerge(WaitingReadLimiter.layer, ConcurrencyLimit.layer),
  DashboardAuthentication.layer,
  CreatorAdministration.layer,
  CreatorPortal.layer,
  DraftWorker.layer,
  PartnerApproval.layer,
  MediaWorker.layer,
  PerformanceReporting.layer,
  Idempotency.layer,
  Personas.layer,
  LongPolls.layer,
  MailWorker.layer,
  RateLimits.layer,
  Topics.layer,
  TopicCancellation.layer,
  UsageReports.layer,
  DueAssignments.layer,
  Webhooks.layer,
  DeliveryWorker.layer,
  Deliveries.layer,
  EventHistory.layer,
  WebhookRecovery.layer,
  TestEventSender.layer,
  SharedState.requireSharedState(shared)
).pipe(
  Layer.provide(CreatorLinks.layer),
  Layer.provideMerge(Layer.mergeAll(ApiCallCounter.layer, Encryption.layer, SimulatedCreators.layer))
)
