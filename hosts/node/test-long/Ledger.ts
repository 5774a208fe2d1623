/** Reads the database file after a run, when no process has the file open. Checks that all counters match the rows. */
import { DatabaseSync } from "node:sqlite"

export interface StoredMail {
  /** The mail's id as in the Message-ID header, with hyphens in place of underscores. */
  readonly id: string
  readonly kind: string
  readonly state: string
  readonly attempts: number
  readonly created_at: string
  readonly settled_at: string | null
}

export interface DatabaseSnapshot {
  readonly topics: number
  readonly assignments: number
  readonly mails: ReadonlyArray<StoredMail>
  /** The number of drafts by assignment id. */
  readonly drafts: ReadonlyMap<string, number>
  /** The inconsistencies that were found. The list is empty if the database is consistent. */
  readonly mistakes: ReadonlyArray<string>
}

/** SQL queries that return no rows if the database is consistent. Each returned row is an inconsistency. */
const audits: Readonly<Record<string, string>> = {
  "a topic's counters differ from its assignments": `
    SELECT t.id FROM topics t LEFT JOIN assignments a ON a.topic_id = t.id GROUP BY t.id HAVING
      t.topic_sent <> COUNT(*) FILTER (WHERE a.status = 'topic_sent') OR
      t.opinion_injected <> COUNT(*) FILTER (WHERE a.status = 'opinion_injected') OR
      t.commentary_generated <> COUNT(*) FILTER (WHERE a.status = 'commentary_generated') OR
      t.creator_approved <> COUNT(*) FILTER (WHERE a.status = 'creator_approved') OR
      t.declined <> COUNT(*) FILTER (WHERE a.status = 'declined') OR
      t.expired <> COUNT(*) FILTER (WHERE a.status = 'expired') OR
      t.abandoned <> COUNT(*) FILTER (WHERE a.failure_reason IS NOT NULL
        AND a.status NOT IN ('declined', 'expired')) OR
      t.cancelled <> COUNT(*) FILTER (WHERE a.was_cancelled = 1) OR
      COUNT(a.id) = 0`,
  "a topic is not completed": "SELECT id, status FROM topics WHERE status <> 'completed'",
  "the totals differ from the topics": `
    SELECT k.name, k.total, COUNT(t.id) AS counted FROM counters k
      LEFT JOIN topics t ON t.organization_id = k.organization_id AND t.environment = k.environment AND t.status = k.name
      WHERE k.day = ''
      GROUP BY k.organization_id, k.environment, k.name HAVING k.total <> COUNT(t.id)
    UNION ALL SELECT t.status, NULL, COUNT(*) FROM topics t WHERE NOT EXISTS (SELECT 1 FROM counters k
      WHERE k.day = '' AND k.organization_id = t.organization_id AND k.environment = t.environment AND k.name = t.status)
      GROUP BY t.status`,
  "what is kept of a day differs from the day's assignments": `
    SELECT k.day, k.name, k.total, COUNT(a.id) FROM counters k
      LEFT JOIN assignments a ON a.organization_id = k.organization_id AND a.environment = k.environment
        AND a.persona_id = k.persona_id AND substr(a.created_at, 1, 10) = k.day AND
        k.name IN ('sent', CASE WHEN a.status = 'creator_approved' THEN 'approved'
          WHEN a.was_cancelled = 1 THEN 'cancelled' ELSE a.failure_reason END)
      WHERE k.day <> ''
      GROUP BY k.organization_id, k.environment, k.day, k.persona_id, k.name HAVING k.total <> COUNT(a.id)
    UNION ALL SELECT NULL, NULL, NULL, NULL WHERE (SELECT COUNT(*) FROM assignments) <>
      (SELECT COALESCE(SUM(total), 0) FROM counters WHERE name = 'sent')`,
  "the usage of a month differs from what was made in it": `
    SELECT u.*, m.* FROM usage_months u JOIN (
      SELECT organization_id AS org, month,
        SUM(topic) AS topics, SUM(unit) AS units, SUM(draft) AS generated FROM (
          SELECT organization_id, substr(created_at, 1, 7) AS month, 1 AS topic, 0 AS unit, 0 AS draft FROM topics
          UNION ALL SELECT a.organization_id, substr(t.created_at, 1, 7), 0, a.failure_reason IS NULL, 0
            FROM assignments a JOIN topics t ON t.id = a.topic_id
          UNION ALL SELECT a.organization_id, substr(d.created_at, 1, 7), 0, 0, 1
            FROM drafts d JOIN assignments a ON a.id = d.share_id WHERE d.number = 1
        ) GROUP BY organization_id, month
      ) m ON m.org = u.organization_id AND m.month = u.period
      WHERE u.topics_created <> m.topics OR u.units_held <> m.units OR u.commentaries_generated <> m.generated
    UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
      WHERE (SELECT COALESCE(SUM(topics_created), 0) FROM usage_months) <> (SELECT COUNT(*) FROM topics)`,
  "something is still to happen": "SELECT id, status, due_at FROM assignments WHERE due_at IS NOT NULL",
  "a mail still waits, or finally failed": "SELECT id, state, reason FROM mails WHERE state IN ('waiting', 'failed')",
  "a commentary is not the draft's that it names": `
    SELECT a.id FROM assignments a LEFT JOIN drafts d ON d.id = a.commentary_draft_id AND d.share_id = a.id
      WHERE (a.status = 'creator_approved') <> (a.commentary_id IS NOT NULL AND d.id IS NOT NULL)`,
  "the drafts of an assignment are not numbered from 1, or its latest is not the present one": `
    SELECT a.id FROM assignments a LEFT JOIN drafts d ON d.share_id = a.id GROUP BY a.id HAVING
      COUNT(d.id) <> COALESCE(MAX(d.number), 0) OR COALESCE(a.draft_number, 0) <> COUNT(d.id)`,
  "a decision is not in the record exactly once": `
    SELECT a.id, a.status, COUNT(l.number) FROM assignments a LEFT JOIN audit_log l ON l.subject = a.id
        AND l.action IN ('creator.approved', 'creator.declined', 'creator.withdrew')
      GROUP BY a.id HAVING COUNT(l.number) <>
        (a.status IN ('creator_approved', 'declined') OR COALESCE(a.failure_reason = 'withdrawn' AND a.was_cancelled = 0, 0))`,
  "an answer is not in the record exactly once": `
    SELECT a.id, a.status, COUNT(l.number) FROM assignments a LEFT JOIN audit_log l ON l.subject = a.id
        AND l.action = 'creator.responded'
      GROUP BY a.id HAVING COUNT(l.number) <> (a.perspective IS NOT NULL)`,
  "a topic's duplicate window does not point at it": `
    SELECT a.id FROM assignments a WHERE NOT EXISTS (SELECT 1 FROM duplicate_windows w WHERE w.share_id = a.id
      AND w.topic_id = a.topic_id AND w.persona_id = a.persona_id)`
}

export const readDatabaseSnapshot = (file: string): DatabaseSnapshot => {
  const database = new DatabaseSync(file)
  try {
    const rows = (sql: string) => database.prepare(sql).all()
    const [integrity] = rows("PRAGMA integrity_check")
    const mistakes = Object.entries(audits).flatMap(([name, sql]) => {
      const found = rows(sql)
      return found.length === 0 ? [] : [`${name}: ${found.length} ${JSON.stringify(found.slice(0, 5))}`]
    })
    const count = (table: string) => Number(rows(`SELECT COUNT(*) AS number FROM ${table}`)[0]?.["number"])
    return {
      topics: count("topics"),
      assignments: count("assignments"),
      mails: rows(
        "SELECT replace(id, '_', '-') AS id, kind, state, attempts, created_at, settled_at FROM mails"
      ) as unknown as ReadonlyArray<StoredMail>,
      drafts: new Map(
        rows("SELECT share_id, COUNT(*) AS number FROM drafts GROUP BY share_id").map((row) => [
          String(row["share_id"]),
          Number(row["number"])
        ])
      ),
      mistakes: integrity?.["integrity_check"] === "ok" ? mistakes : [JSON.stringify(integrity), ...mistakes]
    }
  } finally {
    database.close()
  }
}

/** Counts waiting mails while the service runs. */
export const countWaitingMails = (file: string): number => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    return Number(database.prepare("SELECT COUNT(*) AS number FROM mails WHERE state = 'waiting'").get()?.["number"])
  } finally {
    database.close()
  }
}
