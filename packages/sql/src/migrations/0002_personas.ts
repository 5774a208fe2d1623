/** Personas and licences. No other table refers to them: an embedder may store them elsewhere. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered } from "./Dialect.ts"

export const personas = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

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
})
