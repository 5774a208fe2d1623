/** Provides the conformance suites of every store, for any Postgres version. */
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import { fromIso } from "@partner-commentary/core/shared/Instant"
import type { layer as stores } from "@partner-commentary/test/postgres/TestDatabase"
import * as ApiKeyStoreSuite from "@partner-commentary/testkit/access/ApiKeyStoreSuite"
import * as RateWindowsSuite from "@partner-commentary/testkit/access/RateWindowsSuite"
import * as MediaJobStoreSuite from "@partner-commentary/testkit/commentary/MediaJobStoreSuite"
import * as IdempotencyStoreSuite from "@partner-commentary/testkit/idempotency/IdempotencyStoreSuite"
import * as MailStoreSuite from "@partner-commentary/testkit/mail/MailStoreSuite"
import * as DatabaseHealthSuite from "@partner-commentary/testkit/operations/DatabaseHealthSuite"
import * as RetentionSuite from "@partner-commentary/testkit/operations/RetentionSuite"
import * as WorkBacklogSuite from "@partner-commentary/testkit/operations/WorkBacklogSuite"
import * as OrganizationStoreSuite from "@partner-commentary/testkit/partner/OrganizationStoreSuite"
import * as PerformanceStoreSuite from "@partner-commentary/testkit/performance/PerformanceStoreSuite"
import * as PersonaStoreSuite from "@partner-commentary/testkit/persona/PersonaStoreSuite"
import * as AuditLogSuite from "@partner-commentary/testkit/shared/AuditLogSuite"
import * as DueTimesSuite from "@partner-commentary/testkit/shared/DueTimesSuite"
import * as TransactionSuite from "@partner-commentary/testkit/shared/TransactionSuite"
import * as AssignmentStoreSuite from "@partner-commentary/testkit/topic/AssignmentStoreSuite"
import * as DueAssignmentSuite from "@partner-commentary/testkit/topic/DueAssignmentSuite"
import * as OpenAssignmentSuite from "@partner-commentary/testkit/topic/OpenAssignmentSuite"
import * as SubmissionSuite from "@partner-commentary/testkit/topic/SubmissionSuite"
import * as TestStorageSuite from "@partner-commentary/testkit/topic/TestStorageSuite"
import * as TopicCountsSuite from "@partner-commentary/testkit/topic/TopicCountsSuite"
import * as TopicListSuite from "@partner-commentary/testkit/topic/TopicListSuite"
import * as TopicStoreSuite from "@partner-commentary/testkit/topic/TopicStoreSuite"
import * as UsageStoreSuite from "@partner-commentary/testkit/usage/UsageStoreSuite"
import * as ContactNoticeSuite from "@partner-commentary/testkit/webhook/ContactNoticeSuite"
import * as DeliveryLogSuite from "@partner-commentary/testkit/webhook/DeliveryLogSuite"
import * as DeliveryStoreSuite from "@partner-commentary/testkit/webhook/DeliveryStoreSuite"
import * as EventLogSuite from "@partner-commentary/testkit/webhook/EventLogSuite"
import * as FollowingDeliverySuite from "@partner-commentary/testkit/webhook/FollowingDeliverySuite"
import * as PausedDeliverySuite from "@partner-commentary/testkit/webhook/PausedDeliverySuite"
import * as RedeliveryStoreSuite from "@partner-commentary/testkit/webhook/RedeliveryStoreSuite"
import * as WebhookStoreSuite from "@partner-commentary/testkit/webhook/WebhookStoreSuite"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

const recorded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Record<string, string>>`SELECT * FROM audit_log ORDER BY number`
  return rows.map((row) => ({
    action: row["action"]!,
    subject: row["subject"]!,
    organizationId: row["organization_id"] == null ? null : OrganizationId.make(row["organization_id"]),
    details: JSON.parse(row["details"]!),
    at: fromIso(row["recorded_at"]!)
  }))
})

type Tested = Layer.Layer<Layer.Success<typeof stores>, Layer.Error<typeof stores>>

/** Registers the suites that run in `npm test`. The slow suites run in `npm run test:long`. */
export const registerFastStoreSuites = (name: string, layer: Tested): void => {
  AssignmentStoreSuite.suite(name, layer)
  DueAssignmentSuite.suite(name, layer)
  OpenAssignmentSuite.suite(name, layer)
  AuditLogSuite.suite(name, layer, recorded)
  DatabaseHealthSuite.suite(name, layer)
  DeliveryLogSuite.suite(name, layer)
  DeliveryStoreSuite.suite(name, layer)
  DueTimesSuite.suite(name, layer)
  EventLogSuite.suite(name, layer)
  FollowingDeliverySuite.suite(name, layer)
  PausedDeliverySuite.suite(name, layer)
  IdempotencyStoreSuite.suite(name, layer)
  MailStoreSuite.suite(name, layer)
  OrganizationStoreSuite.suite(name, layer)
  PersonaStoreSuite.suite(name, layer)
  RateWindowsSuite.suite(name, layer)
  RetentionSuite.suite(name, layer)
  SubmissionSuite.suite(name, layer)
  TestStorageSuite.suite(name, layer)
  TopicListSuite.suite(name, layer)
  TopicStoreSuite.suite(name, layer)
  TransactionSuite.suite(name, layer)
  UsageStoreSuite.suite(name, layer)
  WebhookStoreSuite.suite(name, layer)
  WorkBacklogSuite.suite(name, layer)
}

export const registerSlowStoreSuites = (name: string, layer: Tested): void => {
  ApiKeyStoreSuite.suite(name, layer)
  PerformanceStoreSuite.suite(name, layer)
  MediaJobStoreSuite.suite(name, layer)
  RedeliveryStoreSuite.suite(name, layer)
  TopicCountsSuite.suite(name, layer)
  ContactNoticeSuite.suite(name, layer)
}

export const registerStoreSuites = (name: string, layer: Tested): void => {
  registerFastStoreSuites(name, layer)
  registerSlowStoreSuites(name, layer)
}
