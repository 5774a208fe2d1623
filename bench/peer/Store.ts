/**
 * The peer's database: the tables, and a submission as one synchronous `BEGIN IMMEDIATE` transaction. The store uses
 * prepared statements on `node:sqlite`, in WAL mode with `synchronous = FULL`.
 */
import { DatabaseSync } from "node:sqlite"

const schema = `
  CREATE TABLE IF NOT EXISTS organizations (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, topics_per_month INTEGER NOT NULL, commentaries_per_month INTEGER NOT NULL,
    suspended_at TEXT, created_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS personas (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, image_url TEXT NOT NULL, bio TEXT NOT NULL, expertise TEXT NOT NULL,
    social_links TEXT NOT NULL, creator_name TEXT NOT NULL, creator_email TEXT NOT NULL, created_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS licenses (
    organization_id TEXT NOT NULL, persona_id TEXT NOT NULL REFERENCES personas (id), granted_at TEXT NOT NULL,
    until_at TEXT, revoked_at TEXT, PRIMARY KEY (organization_id, persona_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS api_keys (
    id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, organization_id TEXT NOT NULL REFERENCES organizations (id),
    environment TEXT NOT NULL CHECK (environment IN ('live', 'test')), scopes TEXT NOT NULL,
    ip_allow_list TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT, revoked_at TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS topics (
    id TEXT PRIMARY KEY, organization_id TEXT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('live', 'test')),
    status TEXT NOT NULL CHECK (status IN ('pending', 'in_progress', 'partial', 'completed')), created_at TEXT NOT NULL,
    topic_sent INTEGER NOT NULL CHECK (topic_sent >= 0),
    opinion_injected INTEGER NOT NULL DEFAULT 0 CHECK (opinion_injected >= 0),
    commentary_generated INTEGER NOT NULL DEFAULT 0 CHECK (commentary_generated >= 0),
    creator_approved INTEGER NOT NULL DEFAULT 0 CHECK (creator_approved >= 0),
    declined INTEGER NOT NULL DEFAULT 0 CHECK (declined >= 0), expired INTEGER NOT NULL DEFAULT 0 CHECK (expired >= 0),
    external_reference TEXT, output_types TEXT NOT NULL, content TEXT NOT NULL, metadata TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS topics_newest ON topics (organization_id, environment, created_at, id);
  CREATE INDEX IF NOT EXISTS topics_status ON topics (organization_id, environment, status, created_at, id);
  CREATE INDEX IF NOT EXISTS topics_reference ON topics (organization_id, environment, external_reference, created_at, id)
    WHERE external_reference IS NOT NULL;

  CREATE TABLE IF NOT EXISTS assignments (
    topic_id TEXT NOT NULL REFERENCES topics (id), position INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,
    persona_id TEXT NOT NULL, persona_name TEXT NOT NULL, persona_image_url TEXT NOT NULL, creator_name TEXT NOT NULL,
    creator_email TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('topic_sent', 'opinion_injected', 'commentary_generated', 'creator_approved',
      'declined', 'expired')),
    status_updated_at TEXT NOT NULL, due_at TEXT, failure_reason TEXT, failure_at TEXT, perspective TEXT,
    draft_content TEXT, commentary_content TEXT,
    PRIMARY KEY (topic_id, position), CHECK ((failure_reason IS NULL) = (failure_at IS NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS assignments_due ON assignments (due_at, id) WHERE due_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS assignments_creator ON assignments (creator_email, due_at);

  CREATE TABLE IF NOT EXISTS duplicate_windows (
    organization_id TEXT NOT NULL, environment TEXT NOT NULL, persona_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
    topic_id TEXT NOT NULL, share_id TEXT NOT NULL, until_at TEXT NOT NULL,
    PRIMARY KEY (organization_id, environment, persona_id, fingerprint)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS duplicate_windows_until ON duplicate_windows (until_at);
  CREATE TABLE IF NOT EXISTS topic_totals (
    organization_id TEXT NOT NULL, environment TEXT NOT NULL, status TEXT NOT NULL, total INTEGER NOT NULL,
    PRIMARY KEY (organization_id, environment, status)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS usage_months (
    organization_id TEXT NOT NULL, period TEXT NOT NULL, topics INTEGER NOT NULL, units INTEGER NOT NULL,
    PRIMARY KEY (organization_id, period)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS mails (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, share_id TEXT NOT NULL REFERENCES assignments (id),
    created_at TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'sent', 'obsolete', 'failed')), due_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS mails_due ON mails (due_at, id) WHERE state = 'waiting';
`

export interface AuthenticatedCaller {
  readonly organization_id: string
  readonly environment: "live" | "test"
  readonly scopes: string
  readonly ip_allow_list: string
  readonly expires_at: string | null
  readonly revoked_at: string | null
  readonly suspended_at: string | null
  readonly topics_per_month: number
  readonly commentaries_per_month: number
}

export interface PersonaRow {
  readonly id: string
  readonly name: string
  readonly image_url: string
  readonly creator_name: string
  readonly creator_email: string
}

export interface AssignmentStatusRow {
  readonly content: string
  readonly topic_status: string
  readonly created_at: string
  readonly topic_sent: number
  readonly opinion_injected: number
  readonly commentary_generated: number
  readonly creator_approved: number
  readonly declined: number
  readonly expired: number
  readonly share_id: string
  readonly persona_id: string
  readonly persona_name: string
  readonly status: string
  readonly status_updated_at: string
  readonly failure_reason: string | null
  readonly failure_at: string | null
}

export interface NewTopic {
  readonly id: string
  readonly content: string
  readonly reference: string | null
  readonly outputTypes: string
  readonly metadata: string
  readonly fingerprint: string
  readonly createdAt: string
  readonly windowUntil: string
  readonly dueAt: string
  readonly personas: ReadonlyArray<{ readonly shareId: string; readonly row: PersonaRow }>
}

export interface EarlierSubmission {
  readonly topic_id: string
  readonly share_id: string
}

export class QuotaExceeded extends Error {
  readonly quota: "topics_per_month" | "commentaries_per_month"
  readonly limit: number
  readonly remaining: number
  constructor(quota: QuotaExceeded["quota"], limit: number, used: number) {
    super(`The monthly quota ${quota} of ${limit} is used up.`)
    this.quota = quota
    this.limit = limit
    this.remaining = Math.max(0, limit - used)
  }
}

export const openPeerStore = (filename: string) => {
  const db = new DatabaseSync(filename, { enableForeignKeyConstraints: true, timeout: 5000 })
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  db.exec(schema)

  const begin = db.prepare("BEGIN IMMEDIATE")
  const commit = db.prepare("COMMIT")
  const rollback = db.prepare("ROLLBACK")
  const caller =
    db.prepare(`SELECT k.organization_id, k.environment, k.scopes, k.ip_allow_list, k.expires_at, k.revoked_at,
    o.suspended_at, o.topics_per_month, o.commentaries_per_month
    FROM api_keys k JOIN organizations o ON o.id = k.organization_id WHERE k.hash = ?`)
  const licensed = db.prepare(`SELECT p.id, p.name, p.image_url, p.creator_name, p.creator_email
    FROM licenses l JOIN personas p ON p.id = l.persona_id WHERE l.organization_id = ? AND l.persona_id = ?
    AND l.revoked_at IS NULL AND (l.until_at IS NULL OR l.until_at > ?)`)
  const claim = db.prepare(`INSERT INTO duplicate_windows AS held
    (organization_id, environment, persona_id, fingerprint, topic_id, share_id, until_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (organization_id, environment, persona_id, fingerprint) DO UPDATE
    SET topic_id = excluded.topic_id, share_id = excluded.share_id, until_at = excluded.until_at WHERE held.until_at <= ?`)
  const holder = db.prepare(`SELECT topic_id, share_id FROM duplicate_windows
    WHERE organization_id = ? AND environment = ? AND persona_id = ? AND fingerprint = ?`)
  const insertTopic = db.prepare(`INSERT INTO topics (id, organization_id, environment, status, created_at, topic_sent,
    external_reference, output_types, content, metadata) VALUES (?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?)`)
  const insertAssignment = db.prepare(`INSERT INTO assignments (topic_id, position, id, persona_id, persona_name,
    persona_image_url, creator_name, creator_email, status, status_updated_at, due_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'topic_sent', ?, ?)`)
  const insertMail = db.prepare(
    "INSERT INTO mails (id, kind, share_id, created_at, due_at) VALUES (?, 'request', ?, ?, ?) ON CONFLICT (id) DO NOTHING"
  )
  const countUsage = db.prepare(`INSERT INTO usage_months (organization_id, period, topics, units) VALUES (?, ?, 1, ?)
    ON CONFLICT (organization_id, period) DO UPDATE SET topics = topics + 1, units = units + excluded.units
    RETURNING topics, units`)
  const countTopic = db.prepare(`INSERT INTO topic_totals (organization_id, environment, status, total)
    VALUES (?, ?, 'pending', 1) ON CONFLICT (organization_id, environment, status) DO UPDATE SET total = total + 1`)
  const status = db.prepare(`SELECT t.content, t.status AS topic_status, t.created_at, t.topic_sent, t.opinion_injected,
    t.commentary_generated, t.creator_approved, t.declined, t.expired,
    a.id AS share_id, a.persona_id, a.persona_name, a.status, a.status_updated_at, a.failure_reason, a.failure_at
    FROM topics t JOIN assignments a ON a.topic_id = t.id
    WHERE t.id = ? AND t.organization_id = ? AND t.environment = ? ORDER BY a.position`)

  const write = (owner: AuthenticatedCaller, topic: NewTopic): ReadonlyMap<string, EarlierSubmission> => {
    const { organization_id: org, environment: env } = owner
    const holders = new Map<string, EarlierSubmission>()
    const sent: Array<NewTopic["personas"][number]> = []
    for (const persona of topic.personas) {
      const { row, shareId } = persona
      const { fingerprint } = topic
      if (
        claim.run(org, env, row.id, fingerprint, topic.id, shareId, topic.windowUntil, topic.createdAt).changes === 1
      ) {
        sent.push(persona)
      } else {
        holders.set(row.id, holder.get(org, env, row.id, fingerprint) as unknown as EarlierSubmission)
      }
    }
    if (sent.length === 0) return holders
    insertTopic.run(
      topic.id,
      org,
      env,
      topic.createdAt,
      sent.length,
      topic.reference,
      topic.outputTypes,
      topic.content,
      topic.metadata
    )
    for (const [position, { row, shareId }] of sent.entries()) {
      insertAssignment.run(
        topic.id,
        position,
        shareId,
        row.id,
        row.name,
        row.image_url,
        row.creator_name,
        row.creator_email,
        topic.createdAt,
        topic.dueAt
      )
      if (env === "live") insertMail.run(`${shareId}.request`, shareId, topic.createdAt, topic.createdAt)
    }
    if (env === "live") {
      const seen = countUsage.get(org, topic.createdAt.slice(0, 7), sent.length) as { topics: number; units: number }
      const { commentaries_per_month, topics_per_month } = owner
      if (seen.topics > topics_per_month) throw new QuotaExceeded("topics_per_month", topics_per_month, seen.topics - 1)
      if (seen.units > commentaries_per_month) {
        throw new QuotaExceeded("commentaries_per_month", commentaries_per_month, seen.units - sent.length)
      }
    }
    countTopic.run(org, env)
    return holders
  }

  return {
    db,
    caller: (hash: string) => caller.get(hash) as unknown as AuthenticatedCaller | undefined,
    licensed: (owner: AuthenticatedCaller, personaId: string, now: string) =>
      licensed.get(owner.organization_id, personaId, now) as unknown as PersonaRow | undefined,
    status: (owner: AuthenticatedCaller, id: string) =>
      status.all(id, owner.organization_id, owner.environment) as unknown as ReadonlyArray<AssignmentStatusRow>,
    /** Returns the earlier submissions of the same topic, by persona. */
    submit: (owner: AuthenticatedCaller, topic: NewTopic): ReadonlyMap<string, EarlierSubmission> => {
      begin.run()
      try {
        const holders = write(owner, topic)
        commit.run()
        return holders
      } catch (error) {
        if (db.isTransaction) rollback.run()
        throw error
      }
    }
  }
}
