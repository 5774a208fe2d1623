/** Organizations and their API keys. No foreign key refers to organizations: an embedder may store them elsewhere. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered } from "./Dialect.ts"

export const organizations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  yield* sql`CREATE TABLE organizations (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    plan TEXT NOT NULL CHECK (plan IN ('standard', 'premium')),
    limits TEXT NOT NULL,
    contact_email TEXT,
    identity_id TEXT UNIQUE,
    suspended_at TEXT,
    created_at TEXT NOT NULL
  ) ${clustered(sql)}`

  yield* sql`CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
    name TEXT NOT NULL,
    prefix TEXT NOT NULL,
    scopes TEXT NOT NULL,
    ip_allow_list TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    revoked_at TEXT,
    last_used_at TEXT,
    lineage_id TEXT NOT NULL DEFAULT '',
    is_revoked INTEGER NOT NULL DEFAULT 0 CHECK (is_revoked IN (0, 1))
  ) ${clustered(sql)}`
  yield* sql`CREATE INDEX api_keys_organization ON api_keys (organization_id, created_at, id)`
})
