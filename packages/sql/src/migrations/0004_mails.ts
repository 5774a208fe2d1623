/** E-mails, from their creation until after they were sent. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered, queue } from "./Dialect.ts"

export const mails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE mails (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    share_id TEXT,
    organization_id TEXT,
    address TEXT,
    created_at TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'obsolete', 'failed')),
    due_at TEXT NOT NULL,
    was_due_at TEXT,
    settled_at TEXT,
    reason TEXT,
    webhook TEXT,
    claim_number INTEGER NOT NULL DEFAULT 0,
    unanswered INTEGER NOT NULL DEFAULT 0,
    CHECK ((state = 'waiting') = (settled_at IS NULL))
  ) ${clustered(sql)} ${queue(sql)}`
  yield* sql`CREATE INDEX mails_due_by_organization ON mails (COALESCE(organization_id, ''), due_at, id)
    WHERE state = 'waiting'`
  yield* sql`CREATE INDEX mails_failed ON mails (settled_at, id) WHERE state = 'failed'`
  yield* sql`CREATE INDEX mails_failed_by_organization ON mails (organization_id, settled_at, id)
    WHERE state = 'failed'`
  yield* sql`CREATE INDEX mails_settled ON mails (settled_at) WHERE settled_at IS NOT NULL`
})
