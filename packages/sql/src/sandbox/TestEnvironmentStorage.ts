/**
 * Counts the storage of each organization's test environment. Each submitted or deleted topic updates the counters, so
 * that no request needs to count rows.
 */

import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import type { TestStorageAmount } from "@partner-commentary/core/topic/TestStorage"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/**
 * Adds to the storage counters and returns the new values. The row stays locked until the transaction ends. Callers
 * must lock the storage row before they lock the topic counters.
 */
export const addStorage = (sql: SqlClient, organizationId: OrganizationId, more: TestStorageAmount) =>
  Effect.map(
    sql<TestStorageAmount>`INSERT INTO test_storage AS stored (organization_id, topics, bytes)
      VALUES (${organizationId}, ${more.topics}, ${more.bytes}) ${makeOnConflictAddClause(sql)} ${makeUsageReturningClause(sql)}`,
    (rows) => rows[0] ?? more
  )

/** Converts the 64-bit column to a floating-point number, because drivers return 64-bit integers in different types. */
export const makeUsageReturningClause = (sql: SqlClient) =>
  sql.literal("RETURNING topics, CAST(bytes AS DOUBLE PRECISION) AS bytes")

/** Returns the ON CONFLICT clause for an INSERT that gives the storage table the alias `stored`. */
export const makeOnConflictAddClause = (sql: SqlClient) =>
  sql.literal(`ON CONFLICT (organization_id) DO UPDATE SET
    topics = stored.topics + excluded.topics, bytes = stored.bytes + excluded.bytes`)
