/** Duplicate windows by content before persona: the personas of one topic lie on one page, and not each on one of its own. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered } from "./Dialect.ts"

export const windowOrder = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal("organization_id, environment, fingerprint, persona_id, topic_id, share_id, until_at")

  yield* sql`CREATE TABLE ordered_windows (
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    persona_id TEXT NOT NULL,
    topic_id TEXT NOT NULL,
    share_id TEXT NOT NULL,
    until_at TEXT NOT NULL,
    PRIMARY KEY (organization_id, environment, fingerprint, persona_id)
  ) ${clustered(sql)}`
  yield* sql`INSERT INTO ordered_windows (${columns}) SELECT ${columns} FROM duplicate_windows`
  yield* sql`DROP TABLE duplicate_windows`
  yield* sql`ALTER TABLE ordered_windows RENAME TO duplicate_windows`
  yield* sql`CREATE INDEX duplicate_windows_until ON duplicate_windows (until_at)`
})
