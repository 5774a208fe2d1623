/**
 * Stores the organization of each media job, so that organizations take turns. Jobs of older rows and of older
 * processes have no organization. These jobs take turns as if they belonged to one organization.
 */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

export const addMediaOrganizationColumn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE media_jobs ADD COLUMN organization_id TEXT`
  yield* sql`CREATE INDEX media_jobs_due_by_organization
    ON media_jobs (COALESCE(organization_id, ''), due_at, share_id, kind) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX media_jobs_leased ON media_jobs (COALESCE(organization_id, ''), due_at) WHERE is_leased = 1`
})
