/**
 * The peer for the story benchmark: one process with Fastify and nodemailer's pool, and one transaction for each step.
 * Submissions work as in `bench/peer.ts` and `bench/postgres/peer.ts`.
 *
 * The peer omits parts that would only slow it down: turns of organizations, reminders and deadlines, retries and
 * circuit breakers, metrics, the audit log, encrypted secrets, and stored responses.
 *
 * `node bench/story/peer.ts FILE|URL SMTP_PORT RECEIVERS_PORT [KEY]` listens on a free port and prints one line of
 * JSON.
 */
import { randomUUID } from "node:crypto"
import * as Database from "../Database.ts"
import { makeTopicCreatedResponse, parseNewTopic } from "../peer/Answers.ts"
import { startPeerServer } from "../peer/App.ts"
import { makeAuthenticationHook } from "../peer/Keys.ts"
import { seedPeer } from "../peer/Seed.ts"
import { type AuthenticatedCaller, type NewTopic, openPeerStore as openSqlite, type PersonaRow } from "../peer/Store.ts"
import { openPostgresPeerStore as openPostgres } from "../postgres/Store.ts"
import { openPostgresDatabase, openSqliteDatabase } from "./Database.ts"
import * as Steps from "./Steps.ts"

const [, , at = "", smtp = "", receivers = "", key = ""] = process.argv

const sqlite = () => {
  const store = openSqlite(at)
  const fixtures = seedPeer(store.db)
  store.db.exec(Steps.sqliteStepSchema)
  const db = openSqliteDatabase(store.db)
  return {
    db,
    fixtures,
    // Each submission runs alone, because another transaction may be open on the connection.
    store: {
      ...store,
      submit: (caller: AuthenticatedCaller, topic: NewTopic) => db.alone(async () => store.submit(caller, topic))
    },
    licensed: (caller: AuthenticatedCaller, ids: ReadonlyArray<string>, now: string) =>
      new Map(
        ids.flatMap((id) => store.licensed(caller, id, now) ?? []).map((row): [string, PersonaRow] => [row.id, row])
      )
  }
}

const postgres = async () => {
  const pool = Database.openPool(at, 10)
  const store = openPostgres(pool)
  await pool.query(Steps.postgresStepSchema)
  const { rows } = await pool.query("SELECT id FROM personas ORDER BY id LIMIT 3")
  return {
    db: openPostgresDatabase(pool),
    store,
    licensed: store.licensed,
    fixtures: { key, personaIds: rows.map(({ id }) => id as string) }
  }
}

const { db, fixtures, licensed, store } = at.startsWith("postgres") ? await postgres() : sqlite()
const [organization] = await db.query("SELECT id FROM organizations", [])
for (const number of [1, 2]) {
  await db.query(
    `INSERT INTO webhooks (id, organization_id, environment, url, events, status, consecutive_failures, created_at, updated_at, encrypted_secret)
      VALUES ($1, $2, 'live', $3, '["creator.approved"]', 'active', 0, $4, $4, '')`,
    [randomUUID(), organization.id, `http://127.0.0.1:${receivers}/${number}`, new Date().toISOString()]
  )
}
let root = ""
const steps = Steps.makePeerWorkflow(db, { root: () => root, smtp: Number(smtp) })

root = await startPeerServer(
  {
    authenticate: makeAuthenticationHook(store),
    submit: async ({ body, caller }, reply) => {
      const ids = body.persona_ids.map((id) => id.toLowerCase())
      const rows = await licensed(caller, ids, new Date().toISOString())
      const topic = parseNewTopic(body, () => rows)
      const holders = topic.personas.length === 0 ? new Map() : await store.submit(caller, topic)
      steps.submitted()
      return reply
        .code(201)
        .header("location", `/partner/v1/topics/${topic.id}`)
        .send(makeTopicCreatedResponse(body, topic, holders))
    },
    status: () => Promise.reject(new Error("This peer measures stories."))
  },
  fixtures,
  (app) => {
    app.post<{ Params: { token: string }; Body: { perspective: string } }>(
      "/creator/:token/respond",
      async ({ body, params }) => ({
        success: true,
        data: await steps.respond(params.token, body.perspective)
      })
    )
    app.post<{ Params: { token: string } }>("/creator/:token/approve", async ({ params }) => ({
      success: true,
      data: await steps.approve(params.token)
    }))
  }
)
