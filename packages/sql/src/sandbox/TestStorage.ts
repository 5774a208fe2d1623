/** Counters of what each organization's test environment stores: changed with every topic that comes or goes, so that no table is counted. */

import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import type { TestStorage } from "@partner-commentary/core/topic/TestStorage"
import * as Effect from "effect/Effect"
import type { SqlClient } from "effect/sql/SqlClient"

/** Adds to the counters and returns them. The row stays locked until the transaction ends: take it before tallies. */
export const add = (sql: SqlClient, organizationId: OrganizationId, more: TestStorage) =>
  Effect.map(
    sql<TestStorage>`INSERT INTO test_storage AS kept (organization_id, topics, bytes)
      VALUES (${organizationId}, ${more.topics}, ${more.bytes}) ${whereStored(sql)} RETURNING topics, bytes`,
    (rows) => rows[0] ?? more
  )

/** What becomes of counters that exist already, as `kept`. */
export const whereStored = (sql: SqlClient) =>
  sql.literal(`ON CONFLICT (organization_id) DO UPDATE SET
    topics = kept.topics + excluded.topics, bytes = kept.bytes + excluded.bytes`)
