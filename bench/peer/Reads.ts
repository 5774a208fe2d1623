/**
 * Implements the reads that bench/reads.ts measures, without conditional requests. Each read runs one prepared
 * statement.
 */
import type { DatabaseSync } from "node:sqlite"
import { parseTopicId } from "./Answers.ts"
import type { PeerReadEndpoint } from "./App.ts"
import { RequestRefusal } from "./Refusal.ts"

interface TopicRow {
  readonly id: string
  readonly content: string
  readonly metadata: string
  readonly output_types: string
  readonly topic_status: string
  readonly created_at: string
  readonly share_id: string
  readonly persona_id: string
  readonly persona_name: string
  readonly persona_image_url: string
  readonly status: string
  readonly commentary_content: string | null
  readonly failure_reason: string | null
  readonly failure_at: string | null
}

interface ListRow extends Pick<TopicRow, "id" | "content" | "metadata" | "output_types" | "created_at"> {
  readonly status: string
  readonly ready: number
  readonly total: number
}

export const makePeerReadEndpoints = (db: DatabaseSync): ReadonlyArray<PeerReadEndpoint> => {
  db.exec(`CREATE TABLE IF NOT EXISTS events (
    id TEXT PRIMARY KEY, organization_id TEXT NOT NULL, environment TEXT NOT NULL, type TEXT NOT NULL,
    created_at TEXT NOT NULL, data TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS events_of ON events (organization_id, environment, id)`)
  const topic = db.prepare(`SELECT t.id, t.content, t.metadata, t.output_types, t.status AS topic_status, t.created_at,
    a.id AS share_id, a.persona_id, a.persona_name, a.persona_image_url, a.status, a.commentary_content,
    a.failure_reason, a.failure_at FROM topics t JOIN assignments a ON a.topic_id = t.id
    WHERE t.id = ? AND t.organization_id = ? AND t.environment = ? ORDER BY a.position`)
  const list = db.prepare(`SELECT t.id, t.content, t.metadata, t.output_types, t.status, t.created_at,
    t.creator_approved AS ready, t.topic_sent + t.opinion_injected + t.commentary_generated + t.creator_approved +
    t.declined + t.expired AS total FROM topics t WHERE t.organization_id = ? AND t.environment = ?
    ORDER BY t.created_at DESC, t.id DESC LIMIT 20`)
  const totals = db.prepare(
    "SELECT SUM(total) AS total FROM topic_totals WHERE organization_id = ? AND environment = ?"
  )
  const personas = db.prepare(`SELECT p.id, p.name, p.image_url, p.bio, p.expertise, p.social_links, l.until_at
    FROM licenses l JOIN personas p ON p.id = l.persona_id WHERE l.organization_id = ? AND l.revoked_at IS NULL
    AND (l.until_at IS NULL OR l.until_at > ?) ORDER BY p.name, p.id LIMIT 20`)
  const events = db.prepare(`SELECT id, type, created_at, data FROM events
    WHERE organization_id = ? AND environment = ? ORDER BY id LIMIT 20`)

  const find: (...of: Parameters<PeerReadEndpoint["answer"]>) => readonly [TopicRow, ReadonlyArray<TopicRow>] = (
    caller,
    id
  ) => {
    const rows = topic.all(parseTopicId(id), caller.organization_id, caller.environment) as unknown as Array<TopicRow>
    if (rows[0] === undefined) throw new RequestRefusal(404, "not_found", "Topic not found.")
    return [rows[0], rows]
  }
  const read = (path: string, answer: PeerReadEndpoint["answer"], scope = "topics:read"): PeerReadEndpoint => ({
    path,
    scope,
    answer
  })
  const success = (data: unknown, rest = {}) => ({ success: true, data, ...rest })

  return [
    read("/topics/:id", (caller, id) => {
      const [first, rows] = find(caller, id)
      const completed = rows.filter(({ status }) => status === "creator_approved").length
      const failed = rows.filter(({ failure_reason }) => failure_reason !== null).length
      return success({
        ...toSubmittedFields(first),
        status: first.topic_status,
        created_at: first.created_at,
        commentaries: rows.map((row) => ({
          ...persona(row),
          status: row.status === "creator_approved" ? "completed" : row.failure_reason === null ? "pending" : "failed",
          commentary: row.commentary_content,
          failure: row.failure_reason === null ? null : { reason: row.failure_reason, at: row.failure_at }
        })),
        summary: { total_personas: rows.length, completed, pending: rows.length - completed - failed, failed }
      })
    }),
    read("/topics/:id/commentaries", (caller, id) => {
      const [first, rows] = find(caller, id)
      const approved = rows.filter(({ status }) => status === "creator_approved")
      return success({
        ...toSubmittedFields(first),
        commentaries: approved.map((row) => ({ ...persona(row), commentary: row.commentary_content }))
      })
    }),
    read("/topics", ({ environment, organization_id }) => {
      const rows = list.all(organization_id, environment) as unknown as Array<ListRow>
      const { total } = totals.get(organization_id, environment) as unknown as { readonly total: number | null }
      return success(
        rows.map((row) => ({
          ...toSubmittedFields(row),
          status: row.status,
          commentaries_ready: row.ready,
          total_personas: row.total,
          created_at: row.created_at
        })),
        { pagination: { limit: 20, offset: 0, total: total ?? 0, next_cursor: rows.at(-1)?.id ?? null } }
      )
    }),
    read(
      "/personas",
      ({ organization_id }) => {
        const rows = personas.all(organization_id, new Date().toISOString()) as unknown as Array<Record<string, string>>
        return success(
          rows.map(({ expertise, social_links, ...row }) => ({
            ...row,
            expertise: JSON.parse(expertise ?? "[]"),
            social_links: JSON.parse(social_links ?? "{}")
          })),
          { pagination: { limit: 20, offset: 0, total: rows.length, next_cursor: null } }
        )
      },
      "personas:read"
    ),
    read("/events", ({ environment, organization_id }) => {
      const rows = events.all(organization_id, environment) as unknown as Array<Record<string, string>>
      return success(
        rows.map(({ data, ...row }) => ({ ...row, data: JSON.parse(data ?? "{}") })),
        { pagination: { limit: 20, next_cursor: rows.at(-1)?.["id"] ?? null } }
      )
    })
  ]
}

const toSubmittedFields = (row: Pick<TopicRow, "id" | "content" | "metadata" | "output_types">) => ({
  topic_id: row.id,
  content: row.content,
  metadata: JSON.parse(row.metadata),
  output_types: JSON.parse(row.output_types)
})

const persona = (row: TopicRow) => ({
  share_id: row.share_id,
  persona_id: row.persona_id,
  persona_name: row.persona_name,
  persona_image: row.persona_image_url
})
