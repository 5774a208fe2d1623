/**
 * The peer's store on Postgres, with a `pg` pool of ten connections. Statements are prepared by name and write several
 * rows at once. Each submission is one transaction. The peer uses the product's tables, in a separate database on the
 * product's Postgres server.
 */
import type { DatabaseClient, DatabasePool } from "../Database.ts"
import {
  type AssignmentStatusRow,
  type AuthenticatedCaller,
  type EarlierSubmission,
  type NewTopic,
  type PersonaRow,
  QuotaExceeded
} from "../peer/Store.ts"

const statement = (name: string, text: string) => (values: ReadonlyArray<unknown>) => ({ name, text, values })

const caller = statement(
  "caller",
  `SELECT k.organization_id, k.environment, k.scopes, k.ip_allow_list, k.expires_at, k.revoked_at, o.suspended_at
    FROM api_keys k JOIN organizations o ON o.id = k.organization_id WHERE k.hash = $1`
)
const licensed = statement(
  "licensed",
  `SELECT p.id, p.name, p.image_url, p.creator_name, p.creator_email FROM licenses l JOIN personas p ON p.id = l.persona_id
    WHERE l.organization_id = $1 AND l.persona_id = ANY ($2::text[])
      AND l.revoked_at IS NULL AND (l.until_at IS NULL OR l.until_at > $3)`
)
const claim = statement(
  "claim",
  `INSERT INTO duplicate_windows AS held (organization_id, environment, fingerprint, topic_id, until_at, persona_id, share_id)
    SELECT $1, $2, $3, $4, $5, persona, share FROM unnest($6::text[], $7::text[]) AS asked (persona, share) ORDER BY persona
    ON CONFLICT (organization_id, environment, fingerprint, persona_id) DO UPDATE SET
      topic_id = CASE WHEN held.until_at <= $8 THEN excluded.topic_id ELSE held.topic_id END,
      share_id = CASE WHEN held.until_at <= $8 THEN excluded.share_id ELSE held.share_id END,
      until_at = CASE WHEN held.until_at <= $8 THEN excluded.until_at ELSE held.until_at END
    RETURNING persona_id, topic_id, share_id`
)
const insertTopic = statement(
  "topic",
  `INSERT INTO topics (id, organization_id, environment, status, created_at, topic_sent, opinion_injected, commentary_generated,
      creator_approved, declined, expired, abandoned, external_reference, organization_name, output_types, content, metadata)
    VALUES ($1, $2, $3, 'pending', $4, $5, 0, 0, 0, 0, 0, 0, $6, 'Bench', $7, $8, $9)`
)
const insertAssignments = statement(
  "assignments",
  `INSERT INTO assignments (topic_id, position, id, organization_id, environment, persona_id, persona_name, persona_image_url,
      creator_name, creator_email, creator_key, created_at, status, status_updated_at, respond_by, due_at)
    SELECT $1, position - 1, share, $2, $3, persona, name, image, creator, email, lower(email), $4, 'topic_sent', $4, $5, $5
    FROM unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[]) WITH ORDINALITY
      AS sent (share, persona, name, image, creator, email, position)`
)
const insertMails = statement(
  "mails",
  `INSERT INTO mails (id, kind, share_id, organization_id, created_at, due_at)
    SELECT share || '.request', 'request', share, $1, $2, $2 FROM unnest($3::text[]) AS sent (share) ON CONFLICT (id) DO NOTHING`
)
const countUsage = statement(
  "usage",
  `INSERT INTO usage_months AS seen (organization_id, environment, period, topics_created, units_held) VALUES ($1, $2, $3, 1, $4)
    ON CONFLICT (organization_id, environment, period) DO UPDATE SET
      topics_created = seen.topics_created + 1, units_held = seen.units_held + excluded.units_held
    RETURNING topics_created, units_held`
)
const countTopic = statement(
  "total",
  `INSERT INTO counters AS kept (organization_id, environment, day, persona_id, name, total) VALUES ($1, $2, '', '', 'pending', 1)
    ON CONFLICT (organization_id, environment, day, persona_id, name) DO UPDATE SET total = kept.total + 1`
)
const status = statement(
  "status",
  `SELECT t.content, t.status AS topic_status, t.created_at, t.topic_sent, t.opinion_injected, t.commentary_generated,
      t.creator_approved, t.declined, t.expired, a.id AS share_id, a.persona_id, a.persona_name, a.status, a.status_updated_at,
      a.failure_reason, a.failure_at
    FROM topics t JOIN assignments a ON a.topic_id = t.id
    WHERE t.id = $1 AND t.organization_id = $2 AND t.environment = $3 ORDER BY a.position`
)

const unlimited = 1_000_000_000

export const openPostgresPeerStore = (pool: DatabasePool) => {
  const write = async (
    client: DatabaseClient,
    owner: AuthenticatedCaller,
    topic: NewTopic
  ): Promise<ReadonlyMap<string, EarlierSubmission>> => {
    const { environment: env, organization_id: org } = owner
    const { createdAt, dueAt, id, personas } = topic
    const { rows } = await client.query(
      claim([
        org,
        env,
        topic.fingerprint,
        id,
        topic.windowUntil,
        personas.map(({ row }) => row.id),
        personas.map(({ shareId }) => shareId),
        createdAt
      ])
    )
    const holders = new Map<string, EarlierSubmission>(
      rows.filter(({ topic_id }) => topic_id !== id).map((held) => [held.persona_id, held])
    )
    const sent = personas.filter(({ row }) => !holders.has(row.id))
    if (sent.length === 0) return holders
    const of = (column: (row: PersonaRow) => string) => sent.map(({ row }) => column(row))
    const shares = sent.map(({ shareId }) => shareId)
    await client.query(
      insertTopic([
        id,
        org,
        env,
        createdAt,
        sent.length,
        topic.reference,
        topic.outputTypes,
        topic.content,
        topic.metadata
      ])
    )
    await client.query(
      insertAssignments([
        ...[id, org, env, createdAt, dueAt, shares],
        of((row) => row.id),
        of((row) => row.name),
        of((row) => row.image_url),
        of((row) => row.creator_name),
        of((row) => row.creator_email)
      ])
    )
    if (env === "live") {
      await client.query(insertMails([org, createdAt, shares]))
      const { rows: usage } = await client.query(countUsage([org, env, createdAt.slice(0, 7), sent.length]))
      const [seen] = usage
      if (seen.topics_created > unlimited)
        throw new QuotaExceeded("topics_per_month", unlimited, seen.topics_created - 1)
      if (seen.units_held > unlimited)
        throw new QuotaExceeded("commentaries_per_month", unlimited, seen.units_held - sent.length)
    }
    await client.query(countTopic([org, env]))
    return holders
  }

  return {
    caller: async (hash: string): Promise<AuthenticatedCaller | undefined> =>
      (await pool.query(caller([hash]))).rows[0],
    licensed: async (
      owner: AuthenticatedCaller,
      ids: ReadonlyArray<string>,
      now: string
    ): Promise<ReadonlyMap<string, PersonaRow>> => {
      const { rows } = await pool.query(licensed([owner.organization_id, ids, now]))
      return new Map(rows.map((row) => [row.id, row]))
    },
    status: async (owner: AuthenticatedCaller, id: string): Promise<ReadonlyArray<AssignmentStatusRow>> =>
      (await pool.query(status([id, owner.organization_id, owner.environment]))).rows,
    /** Returns the earlier submissions of the same topic, by persona. */
    submit: async (owner: AuthenticatedCaller, topic: NewTopic): Promise<ReadonlyMap<string, EarlierSubmission>> => {
      const client = await pool.connect()
      try {
        await client.query("BEGIN")
        const holders = await write(client, owner, topic)
        await client.query("COMMIT")
        return holders
      } catch (error) {
        await client.query("ROLLBACK")
        throw error
      } finally {
        client.release()
      }
    }
  }
}
