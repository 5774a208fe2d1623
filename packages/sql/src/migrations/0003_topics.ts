/** Topics with their assignments and drafts, duplicate windows, and the storage of the test environment. */
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clustered, growing, large, oftenUpdated, queue } from "./Dialect.ts"

export const topics = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // `stored_bytes` is null in the live environment, whose storage is not limited.
  yield* sql`CREATE TABLE topics (
    id TEXT PRIMARY KEY,
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
    status TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'partial', 'completed')),
    created_at TEXT NOT NULL,
    topic_sent INTEGER NOT NULL CHECK (topic_sent >= 0),
    opinion_injected INTEGER NOT NULL CHECK (opinion_injected >= 0),
    commentary_generated INTEGER NOT NULL CHECK (commentary_generated >= 0),
    creator_approved INTEGER NOT NULL CHECK (creator_approved >= 0),
    declined INTEGER NOT NULL CHECK (declined >= 0),
    expired INTEGER NOT NULL CHECK (expired >= 0),
    abandoned INTEGER NOT NULL CHECK (abandoned >= 0),
    external_reference TEXT,
    organization_name TEXT NOT NULL,
    output_types TEXT NOT NULL,
    content TEXT NOT NULL,
    metadata TEXT NOT NULL,
    stored_bytes INTEGER
  ) ${clustered(sql)} ${growing(sql)}`
  yield* sql`CREATE INDEX topics_newest ON topics (organization_id, environment, created_at, id)`
  yield* sql`CREATE INDEX topics_status ON topics (organization_id, environment, status, created_at, id)`
  yield* sql`CREATE INDEX topics_reference ON topics (organization_id, environment, external_reference, created_at, id)
    WHERE external_reference IS NOT NULL`
  // Not `= 'test'`: SQLite would prepare each statement with `environment = ?` again for every value.
  yield* sql`CREATE INDEX topics_of_tests ON topics (created_at, id) WHERE environment <> 'live'`

  yield* sql`CREATE TABLE assignments (
    topic_id TEXT NOT NULL REFERENCES topics (id),
    position INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    persona_id TEXT NOT NULL,
    persona_name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('topic_sent', 'opinion_injected', 'commentary_generated',
      'creator_approved', 'declined', 'expired')),
    status_updated_at TEXT NOT NULL,
    failure_reason TEXT CHECK (failure_reason IN ('declined', 'expired', 'generation_failed', 'approval_timeout',
      'withdrawn')),
    failure_at TEXT,
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
    persona_image_url TEXT NOT NULL,
    creator_name TEXT NOT NULL,
    creator_email TEXT NOT NULL,
    creator_key TEXT NOT NULL,
    created_at TEXT NOT NULL,
    due_at TEXT,
    notified_at TEXT,
    respond_by TEXT NOT NULL,
    approve_by TEXT,
    reminders INTEGER NOT NULL DEFAULT 0,
    generation_claim_number INTEGER NOT NULL DEFAULT 0,
    generation_running INTEGER NOT NULL DEFAULT 0,
    generation_attempts INTEGER NOT NULL DEFAULT 0,
    generation_next_at TEXT,
    generation_give_up_at TEXT,
    revision_draft_id TEXT,
    revision_instructions TEXT,
    commentary_id TEXT,
    commentary_draft_id TEXT,
    commentary_approved_at TEXT,
    commentary_audio_url TEXT,
    commentary_video_url TEXT,
    draft_id TEXT,
    draft_number INTEGER,
    draft_created_at TEXT,
    decline_reason TEXT,
    withdraw_reason TEXT,
    commentary_content TEXT,
    draft_content TEXT,
    perspective TEXT,
    simulation_path TEXT CHECK (simulation_path IN ('approve', 'decline', 'expire', 'fail', 'wait')),
    simulation_next_at TEXT,
    responded_at TEXT,
    first_drafted_at TEXT,
    partner_approved_at TEXT,
    PRIMARY KEY (topic_id, position),
    CHECK ((failure_reason IS NULL) = (failure_at IS NULL))
  ) ${clustered(sql)} ${growing(sql)}`
  yield* sql`CREATE INDEX assignments_due ON assignments (environment, due_at, id) WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX assignments_due_by_organization ON assignments (environment, organization_id, due_at, id)
    WHERE due_at IS NOT NULL`
  yield* sql`CREATE INDEX assignments_stalled ON assignments (id)
    WHERE generation_attempts > 0 AND generation_next_at IS NULL AND due_at IS NOT NULL`
  yield* sql`CREATE INDEX assignments_generating ON assignments (generation_next_at) WHERE generation_next_at IS NOT NULL`
  yield* sql`CREATE INDEX assignments_simulated ON assignments (simulation_next_at) WHERE simulation_next_at IS NOT NULL`
  yield* sql`CREATE INDEX assignments_creator ON assignments (creator_key)`
  yield* sql`CREATE INDEX assignments_open ON assignments (creator_key, organization_id, created_at, id)
    WHERE due_at IS NOT NULL AND environment = 'live'`

  yield* sql`CREATE TABLE drafts (
    share_id TEXT NOT NULL REFERENCES assignments (id),
    number INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (share_id, number)
  ) ${clustered(sql)} ${growing(sql)}`

  // The content comes before the persona: the windows of one topic are on one page.
  yield* sql`CREATE TABLE duplicate_windows (
    organization_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    persona_id TEXT NOT NULL,
    topic_id TEXT NOT NULL,
    share_id TEXT NOT NULL,
    until_at TEXT NOT NULL,
    PRIMARY KEY (organization_id, environment, fingerprint, persona_id)
  ) ${clustered(sql)} ${queue(sql)}`
  yield* sql`CREATE INDEX duplicate_windows_until ON duplicate_windows (until_at)`
  yield* sql`CREATE INDEX duplicate_windows_of_tests ON duplicate_windows (until_at) WHERE environment <> 'live'`

  yield* sql`CREATE TABLE test_storage (
    organization_id TEXT PRIMARY KEY,
    topics INTEGER NOT NULL,
    bytes ${large(sql)} NOT NULL
  ) ${clustered(sql)} ${oftenUpdated(sql, 50)}`
})
