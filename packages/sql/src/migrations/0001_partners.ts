/** Who calls and who answers: organizations, personas, licences and API keys. Nothing else may refer to the first three. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered } from "./Dialect.ts"

export const partners = Effect.gen(function* () {
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

  yield* sql`CREATE TABLE personas (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    image_url TEXT NOT NULL,
    bio TEXT NOT NULL,
    expertise TEXT NOT NULL,
    social_links TEXT NOT NULL,
    creator_name TEXT NOT NULL,
    creator_email TEXT NOT NULL,
    creator_key TEXT NOT NULL,
    created_at TEXT NOT NULL
  ) ${clustered(sql)}`
  yield* sql`CREATE INDEX personas_creator ON personas (creator_key, created_at)`

  yield* sql`CREATE TABLE licenses (
    organization_id TEXT NOT NULL,
    persona_id TEXT NOT NULL REFERENCES personas (id),
    granted_at TEXT NOT NULL,
    until_at TEXT,
    revoked_at TEXT,
    PRIMARY KEY (organization_id, persona_id)
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
    revoked_at TEXT
  ) ${clustered(sql)}`
  yield* sql`CREATE INDEX api_keys_organization ON api_keys (organization_id, created_at, id)`
})
