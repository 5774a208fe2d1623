/** Runs the conformance suite of every store on SQLite. */
import { RateWindows } from "@partner-commentary/core/access/RateWindows"
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import { fromIso } from "@partner-commentary/core/shared/Instant"
import { layerMemory } from "@partner-commentary/sqlite/Sqlite"
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
import * as Layer from "effect/Layer"
import * as References from "effect/References"
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

ApiKeyStoreSuite.suite("SQLite", layerMemory)
AssignmentStoreSuite.suite("SQLite", layerMemory)
DueAssignmentSuite.suite("SQLite", layerMemory)
OpenAssignmentSuite.suite("SQLite", layerMemory)
AuditLogSuite.suite("SQLite", layerMemory, recorded)
DatabaseHealthSuite.suite("SQLite", layerMemory)
DeliveryLogSuite.suite("SQLite", layerMemory)
DeliveryStoreSuite.suite("SQLite", layerMemory)
DueTimesSuite.suite("SQLite", layerMemory)
EventLogSuite.suite("SQLite", layerMemory)
FollowingDeliverySuite.suite("SQLite", layerMemory)
PausedDeliverySuite.suite("SQLite", layerMemory)
IdempotencyStoreSuite.suite("SQLite", layerMemory)
MailStoreSuite.suite("SQLite", layerMemory)
OrganizationStoreSuite.suite("SQLite", layerMemory)
PerformanceStoreSuite.suite("SQLite", layerMemory)
PersonaStoreSuite.suite("SQLite", layerMemory)
MediaJobStoreSuite.suite("SQLite", layerMemory)
RateWindowsSuite.suite("One process", RateWindows.layerMemory)
RedeliveryStoreSuite.suite("SQLite", layerMemory)
RetentionSuite.suite("SQLite", layerMemory)
SubmissionSuite.suite("SQLite", layerMemory)
TestStorageSuite.suite("SQLite", layerMemory)
TopicCountsSuite.suite("SQLite", layerMemory)
TopicListSuite.suite("SQLite", layerMemory)
TopicStoreSuite.suite("SQLite", layerMemory)
TransactionSuite.suite("SQLite", layerMemory)
UsageStoreSuite.suite("SQLite", layerMemory)
ContactNoticeSuite.suite("SQLite", layerMemory)
WebhookStoreSuite.suite("SQLite", layerMemory)
WorkBacklogSuite.suite("SQLite", layerMemory)

/**
 * Without tracing, the stores run frequent reads directly on the connection (`DirectReads`) and not through the client.
 */
const untraced = Layer.merge(layerMemory, Layer.succeed(References.TracerEnabled, false))

EventLogSuite.suite("SQLite, direct reads", untraced)
PersonaStoreSuite.suite("SQLite, direct reads", untraced)
TopicListSuite.suite("SQLite, direct reads", untraced)
TopicStoreSuite.suite("SQLite, direct reads", untraced)
