/**
 * Implements the peer's steps after a submission: mails, responses, drafts, approvals, and signed deliveries. Each step
 * is one transaction.
 */
import { createHmac, randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { createTransport } from "nodemailer"
import { RequestRefusal } from "../peer/Refusal.ts"
import type { PeerDatabase, RunSqlQuery } from "./Database.ts"

/** Adds the product's tables and columns that are missing in `peer/Store.ts`. */
export const sqliteStepSchema = `
  ALTER TABLE mails ADD COLUMN settled_at TEXT;
  CREATE INDEX assignments_waiting ON assignments (due_at, id) WHERE status = 'opinion_injected';
  CREATE TABLE drafts (share_id TEXT NOT NULL REFERENCES assignments (id), number INTEGER NOT NULL, id TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (share_id, number)) STRICT, WITHOUT ROWID;
  CREATE TABLE webhooks (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL, environment TEXT NOT NULL, url TEXT NOT NULL,
    events TEXT NOT NULL, status TEXT NOT NULL, consecutive_failures INTEGER NOT NULL, created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL, encrypted_secret TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE events (id TEXT PRIMARY KEY, organization_id TEXT NOT NULL, environment TEXT NOT NULL, type TEXT NOT NULL,
    share_id TEXT NOT NULL, created_at TEXT NOT NULL, payload TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX events_by_type ON events (organization_id, environment, type, id);
  CREATE TABLE deliveries (webhook_id TEXT NOT NULL, event_id TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending', due_at TEXT,
    settled_at TEXT, PRIMARY KEY (webhook_id, event_id)) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveries_due ON deliveries (due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE delivery_attempts (webhook_id TEXT NOT NULL, event_id TEXT NOT NULL, claim_number INTEGER NOT NULL,
    kind TEXT NOT NULL, started_at TEXT NOT NULL, duration INTEGER NOT NULL, status INTEGER,
    PRIMARY KEY (webhook_id, event_id, claim_number)) STRICT, WITHOUT ROWID;`

export const postgresStepSchema = `
  CREATE INDEX peer_assignments_waiting ON assignments (due_at, id) WHERE status = 'opinion_injected';
  CREATE INDEX peer_mails_due ON mails (due_at, id) WHERE state = 'waiting';
  CREATE INDEX peer_deliveries_due ON deliveries (due_at) WHERE due_at IS NOT NULL`

const secret = randomUUID()
const sign = (text: string) => createHmac("sha256", secret).update(text).digest("base64url")
const iso = (delay = 0) => new Date(Date.now() + delay).toISOString()
const lease = 60_000

/** Runs due work, at most `limit` jobs at a time, when a signal arrives or a second has passed. */
const worker = <Job>(
  limit: number,
  claim: (free: number) => Promise<ReadonlyArray<Job>>,
  run: (job: Job) => Promise<void>
) => {
  let running = 0
  let signaled = true
  let wake = () => {}
  const signal = () => {
    signaled = true
    wake()
  }
  const loop = async () => {
    for (;;) {
      signaled = false
      const jobs = running < limit ? await claim(limit - running) : []
      for (const job of jobs) {
        running++
        run(job)
          .catch((error) => process.stderr.write(`${error}\n`))
          .finally(() => {
            running--
            if (running === limit - 1) signal()
          })
      }
      if (jobs.length > 0 || signaled) continue
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      await Promise.race([woken, sleep(1000, undefined, { ref: false })])
    }
  }
  void loop()
  return signal
}

const agent = new Agent({ keepAlive: true, timeout: 10_000 })
const send = (url: string, id: string, body: string) =>
  new Promise<number>((resolve, reject) => {
    const at = Math.floor(Date.now() / 1000)
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "webhook-id": id,
      "webhook-timestamp": String(at),
      "webhook-signature": `v1,${createHmac("sha256", secret).update(`${id}.${at}.${body}`).digest("base64")}`
    }
    const call = request(url, { agent, method: "POST", headers, timeout: 15_000 }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 500))
    })
    call.on("error", reject)
    call.end(body)
  })

export const makePeerWorkflow = (
  db: PeerDatabase,
  { root, smtp }: { readonly root: () => string; readonly smtp: number }
) => {
  const transport = createTransport({ host: "127.0.0.1", port: smtp, ignoreTLS: true, pool: true, maxConnections: 16 })

  const mails = worker(
    16,
    (free) =>
      db.query(
        `UPDATE mails SET due_at = $1, attempts = attempts + 1 WHERE id IN (SELECT id FROM mails
          WHERE state = 'waiting' AND due_at <= $2 ORDER BY due_at, id LIMIT $3 ${db.skipLocked}) RETURNING id, kind, share_id`,
        [iso(lease), iso(), free]
      ),
    async ({ id, kind, share_id }: { id: string; kind: string; share_id: string }) => {
      const [found] = await db.query(
        `SELECT a.creator_name, a.creator_email, a.persona_name, a.draft_content, t.content
          FROM assignments a JOIN topics t ON t.id = a.topic_id WHERE a.id = $1`,
        [share_id]
      )
      const link = `${root()}/creator/${share_id}.${sign(share_id)}`
      const text = `${found.creator_name}, please look at this as ${found.persona_name}:\n\n${found.content}\n\n${found.draft_content ?? ""}\n\n${link}\n`
      await transport.sendMail({
        messageId: `<${id}@bench.example>`,
        from: "Bench <bench@bench.example>",
        to: { name: found.creator_name, address: found.creator_email },
        subject: `${found.persona_name}: ${found.content.slice(0, 60)}`,
        text,
        html: `<p>${text.replaceAll("\n\n", "</p><p>")}</p>`
      })
      await db.transaction(async (query) => {
        await query("UPDATE mails SET state = 'sent', settled_at = $1 WHERE id = $2 AND state = 'waiting'", [iso(), id])
        if (kind === "request")
          await query("UPDATE assignments SET due_at = $1 WHERE id = $2 AND status = 'topic_sent'", [
            iso(72 * 3_600_000),
            share_id
          ])
      })
    }
  )

  const move = async (query: RunSqlQuery, topicId: string, from: string, to: string) => {
    const [counts] = await query(
      `UPDATE topics SET ${from} = ${from} - 1, ${to} = ${to} + 1,
        status = CASE WHEN topic_sent + opinion_injected + commentary_generated - ${to === "creator_approved" ? 1 : 0} > 0 THEN 'in_progress' ELSE 'completed' END
        WHERE id = $1 RETURNING status, creator_approved`,
      [topicId]
    )
    return counts
  }

  const drafts = worker(
    32,
    (free) =>
      db.query(
        `UPDATE assignments SET due_at = $1 WHERE id IN (SELECT id FROM assignments
          WHERE status = 'opinion_injected' AND due_at <= $2 ORDER BY due_at, id LIMIT $3 ${db.skipLocked})
          RETURNING id, topic_id, perspective`,
        [iso(lease), iso(), free]
      ),
    async ({ id, perspective, topic_id }: { id: string; topic_id: string; perspective: string }) => {
      const now = iso()
      const content = `I was asked about this, and this is my answer.\n\n${perspective}\n\nThat is how I see it.`
      await db.transaction(async (query) => {
        await query(
          `UPDATE assignments SET status = 'commentary_generated', status_updated_at = $1, due_at = $2, draft_content = $3
            WHERE id = $4 AND status = 'opinion_injected'`,
          [now, iso(72 * 3_600_000), content, id]
        )
        await query("INSERT INTO drafts (share_id, number, id, content, created_at) VALUES ($1, 1, $2, $3, $4)", [
          id,
          randomUUID(),
          content,
          now
        ])
        await move(query, topic_id, "opinion_injected", "commentary_generated")
        await query("INSERT INTO mails (id, kind, share_id, created_at, due_at) VALUES ($1, 'draft', $2, $3, $3)", [
          `${id}.draft-1`,
          id,
          now
        ])
      })
      mails()
    }
  )

  const deliveries = worker(
    10,
    (free) =>
      db.query(
        `UPDATE deliveries SET due_at = $1 WHERE (webhook_id, event_id) IN (SELECT webhook_id, event_id FROM deliveries
          WHERE due_at <= $2 ORDER BY due_at LIMIT $3 ${db.skipLocked}) RETURNING webhook_id, event_id,
          (SELECT url FROM webhooks WHERE id = webhook_id) AS url, (SELECT payload FROM events WHERE id = event_id) AS payload`,
        [iso(lease), iso(), free]
      ),
    async ({
      event_id,
      payload,
      url,
      webhook_id
    }: Readonly<Record<"event_id" | "webhook_id" | "url" | "payload", string>>) => {
      const began = Date.now()
      const status = await send(url, event_id, payload)
      await db.transaction(async (query) => {
        await query(
          "UPDATE deliveries SET state = 'delivered', due_at = NULL, settled_at = $1 WHERE webhook_id = $2 AND event_id = $3",
          [iso(), webhook_id, event_id]
        )
        await query(
          `INSERT INTO delivery_attempts (webhook_id, event_id, claim_number, kind, started_at, duration, status)
            VALUES ($1, $2, 1, 'scheduled', $3, $4, $5)`,
          [webhook_id, event_id, new Date(began).toISOString(), Date.now() - began, status]
        )
      })
    }
  )

  const assignmentOf = async (token: string) => {
    const [id = "", signature] = token.split(".")
    const [row] = signature === sign(id) ? await db.query("SELECT * FROM assignments WHERE id = $1", [id]) : []
    if (row === undefined) throw new RequestRefusal(404, "not_found", "There is no such creator link.")
    return row
  }

  return {
    submitted: mails,
    respond: async (token: string, perspective: string) => {
      const { id, topic_id } = await assignmentOf(token)
      await db.transaction(async (query) => {
        const moved = await query(
          `UPDATE assignments SET status = 'opinion_injected', status_updated_at = $1, due_at = $1, perspective = $2
            WHERE id = $3 AND status = 'topic_sent' RETURNING id`,
          [iso(), perspective, id]
        )
        if (moved.length > 0) await move(query, topic_id, "topic_sent", "opinion_injected")
      })
      drafts()
      return { share_id: id, status: "opinion_injected" }
    },
    approve: async (token: string) => {
      const { draft_content, id, persona_id, persona_name, topic_id } = await assignmentOf(token)
      const now = iso()
      await db.transaction(async (query) => {
        const moved = await query(
          `UPDATE assignments SET status = 'creator_approved', status_updated_at = $1, due_at = NULL, commentary_content = draft_content
            WHERE id = $2 AND status = 'commentary_generated' RETURNING id`,
          [now, id]
        )
        if (moved.length === 0) return
        const counts = await move(query, topic_id, "commentary_generated", "creator_approved")
        const [topic] = await query(
          "SELECT organization_id, environment, external_reference, metadata FROM topics WHERE id = $1",
          [topic_id]
        )
        const eventId = `${Date.now().toString(16).padStart(12, "0")}${randomUUID()}`
        const payload = JSON.stringify({
          id: `evt_${eventId}`,
          type: "creator.approved",
          timestamp: now,
          data: {
            topic_id,
            ...topic,
            share_id: id,
            persona: { id: persona_id, name: persona_name },
            commentary: draft_content,
            topic: counts
          }
        })
        await query(
          `INSERT INTO events (id, organization_id, environment, type, share_id, created_at, payload) VALUES ($1, $2, $3, 'creator.approved', $4, $5, $6)`,
          [eventId, topic.organization_id, topic.environment, id, now, payload]
        )
        await query(
          "INSERT INTO deliveries (webhook_id, event_id, due_at) SELECT id, $1, $2 FROM webhooks WHERE organization_id = $3 AND environment = $4",
          [eventId, now, topic.organization_id, topic.environment]
        )
      })
      deliveries()
      return { share_id: id, status: "creator_approved" }
    }
  }
}
