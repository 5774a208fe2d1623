/**
 * Provides an SQL store for every store port of the core. All stores use one SqlClient and the tables that Migrations
 * creates.
 */
import { DatabaseIsShared } from "@partner-commentary/core/shared/SharedState"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as ApiKeyStore from "./access/ApiKeyStore.ts"
import * as AssignmentStore from "./assignments/AssignmentStore.ts"
import * as Transaction from "./database/Transaction.ts"
import * as IdempotencyStore from "./idempotency/IdempotencyStore.ts"
import * as MailStore from "./mail/MailStore.ts"
import * as MediaJobStore from "./media/MediaJobStore.ts"
import * as AuditLog from "./operations/AuditLog.ts"
import * as DatabaseHealth from "./operations/DatabaseHealth.ts"
import * as Retention from "./operations/Retention.ts"
import * as WorkBacklog from "./operations/WorkBacklog.ts"
import * as OrganizationRegistry from "./organizations/OrganizationRegistry.ts"
import * as OrganizationStore from "./organizations/OrganizationStore.ts"
import * as PersonaRegistry from "./personas/PersonaRegistry.ts"
import * as PersonaStore from "./personas/PersonaStore.ts"
import * as PerformanceStore from "./reporting/PerformanceStore.ts"
import * as TopicStore from "./topics/TopicStore.ts"
import * as UsageStore from "./usage/UsageStore.ts"
import * as DeliveryLog from "./webhooks/DeliveryLog.ts"
import * as DeliveryStore from "./webhooks/DeliveryStore.ts"
import * as EventLog from "./webhooks/EventLog.ts"
import * as RedeliveryStore from "./webhooks/RedeliveryStore.ts"
import * as WebhookStore from "./webhooks/WebhookStore.ts"

/**
 * Disables the name transforms of the host's SqlClient, because the SQL of the stores contains the real column names.
 */
const client = Layer.effect(
  SqlClient.SqlClient,
  Effect.map(SqlClient.SqlClient, (sql) => sql.withoutTransforms())
)

/**
 * Several nodes can share a Postgres database. Nodes cannot share an SQLite database, because its file belongs to one
 * machine.
 */
const isShared = Layer.effect(
  DatabaseIsShared,
  Effect.map(SqlClient.SqlClient, (sql) => sql.onDialectOrElse({ orElse: () => false, pg: () => true }))
)

/** The stores that an embedder cannot replace one by one, because they share transactions. */
export const layerTopics = Layer.mergeAll(
  TopicStore.layer,
  AssignmentStore.layer,
  MailStore.layer,
  MediaJobStore.layer,
  UsageStore.layer,
  PerformanceStore.layer,
  WebhookStore.layer,
  DeliveryStore.layer,
  DeliveryLog.layer,
  RedeliveryStore.layer,
  EventLog.layer,
  ApiKeyStore.layer,
  AuditLog.layer,
  Retention.layer,
  WorkBacklog.layer,
  IdempotencyStore.layer,
  DatabaseHealth.layer,
  Transaction.layer,
  isShared
).pipe(Layer.provide(client))

/** The stores of organizations, personas and licences, which an embedder may replace. @public */
export const layerPartners = Layer.mergeAll(PersonaStore.layer, PersonaRegistry.layer, OrganizationRegistry.layer).pipe(
  Layer.provideMerge(OrganizationStore.layer),
  Layer.provide(client)
)

export const layer = Layer.merge(layerTopics, layerPartners)

/**
 * Provides every store. Each store that the host passes replaces the default store. The host's stores may require the
 * SqlClient and the default stores. If the host replaces `PersonaStore` or `OrganizationStore`, rows that the default
 * `PersonaRegistry` or `OrganizationRegistry` writes have no effect on the API.
 */
export const layerWith = <Own extends ReplaceableStores, E, R>(own: Layer.Layer<Own, E, R>) =>
  Layer.provideMerge(own, layer)

/** The stores that a host may replace. */
export type ReplaceableStores = Layer.Success<typeof layerPartners>
