/**
 * Adds the time of a topic's last change, for lists of changed topics. Adds a topic's version, for conditional
 * requests.
 */
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const addTopicVersionColumns = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = Instant.toIso(yield* Instant.now)
  yield* sql`ALTER TABLE topics ADD COLUMN version INTEGER NOT NULL DEFAULT 0`
  yield* sql.onDialectOrElse({
    // The migration rewrites no row. The default is the time of the migration, for existing topics and for topics that
    // processes of the previous version write.
    pg: () =>
      sql`ALTER TABLE topics ADD COLUMN updated_at TEXT COLLATE "C" NOT NULL DEFAULT ${sql.literal(`'${now}'`)}`,
    orElse: () =>
      Effect.andThen(
        sql`ALTER TABLE topics ADD COLUMN updated_at TEXT NOT NULL DEFAULT ''`,
        sql`UPDATE topics SET updated_at = COALESCE(
        (SELECT MAX(status_updated_at) FROM assignments WHERE topic_id = topics.id), created_at)`
      )
  })
  yield* sql`CREATE INDEX IF NOT EXISTS topics_updated ON topics (organization_id, environment, updated_at, id)`
})
