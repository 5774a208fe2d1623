/** Audio and video to be synthesized for approved commentaries. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered } from "./Dialect.ts"

export const media = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE media_jobs (
    share_id TEXT NOT NULL REFERENCES assignments (id),
    kind TEXT NOT NULL CHECK (kind IN ('audio', 'video')),
    name TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'ready', 'failed')),
    due_at TEXT,
    is_leased INTEGER NOT NULL DEFAULT 0 CHECK (is_leased IN (0, 1)),
    attempts INTEGER NOT NULL DEFAULT 0,
    settled_at TEXT,
    reason TEXT,
    claim_number INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (share_id, kind),
    CHECK ((state = 'waiting') = (due_at IS NOT NULL)),
    CHECK ((state = 'waiting') = (settled_at IS NULL))
  ) ${clustered(sql)}`
  yield* sql`CREATE INDEX media_jobs_due ON media_jobs (due_at, share_id, kind) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX media_jobs_failed ON media_jobs (settled_at, share_id, kind) WHERE state = 'failed'`
})
