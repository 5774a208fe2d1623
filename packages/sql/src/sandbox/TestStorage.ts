/** Counters of the storage of each organization's test environment, updated with each topic so that no request counts rows. */

import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import type { TestStorageAmount } from "@partner-commentary/core/topic/TestStorage"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/**
 * Adds to the storage counters and returns them. The row stays locked until the transaction ends. Lock it before the
 * topic counters.
 */
export const addToTestStorage = (sql: SqlClient, organizationId: OrganizationId, more: TestStorageAmount) =>
  Effect.map(
    sql<TestStorageAmount>`INSERT INTO test_storage AS stored (organization_id, topics, bytes)
      VALUES (${organizationId}, ${more.topics}, ${more.bytes}) ${onConflictAdd(sql)} ${returningStorage(sql)}`,
    (rows) => rows[0] ?? more
  )

/** Converts to numbers, because drivers return 64-bit integers differently. */
export const returningStorage = (sql: SqlClient) =>
  sql.literal("RETURNING topics, CAST(bytes AS DOUBLE PRECISION) AS bytes")

/** For an INSERT into the counters with the alias `stored`. */
export const onConflictAdd = (sql: SqlClient) =>
  sql.literal(`ON CONFLICT (organization_id) DO UPDATE SET
    topics = stored.topics + excluded.topics, bytes = stored.bytes + excluded.bytes`)
