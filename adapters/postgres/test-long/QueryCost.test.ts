/**
 * Tests the cost of claims and of event pages on Postgres. The cost of a claim does not depend on the backlog of
 * another organization, and the cost of a page of events does not depend on the number of events.
 */
import { assert, it } from "@effect/vitest"
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { makeLowestEventId } from "@partner-commentary/core/webhook/Event"
import { EventLog } from "@partner-commentary/core/webhook/EventLog"
import { EventType } from "@partner-commentary/core/webhook/EventType"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import { day, makeOwner, makeSubmission, start } from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"

interface Plan {
  readonly "Shared Hit Blocks": number
  readonly "Shared Read Blocks": number
}

/** Creates `count` overdue assignments and `count` overdue mails of another organization. */
const flood = (count: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`INSERT INTO assignments (topic_id, position, id, persona_id, persona_name, status, status_updated_at,
        organization_id, environment, persona_image_url, creator_name, creator_email, creator_key, created_at, due_at, respond_by)
      SELECT topic_id, n, 'flood-' || n, persona_id, persona_name, status, status_updated_at, 'flood', environment,
        persona_image_url, creator_name, creator_email, creator_key, created_at, created_at, respond_by
      FROM assignments, generate_series(1, CAST(${count} AS INTEGER)) AS n`
    yield* sql`INSERT INTO mails (id, kind, organization_id, created_at, due_at)
      SELECT 'flood-' || n, 'request', 'flood', created_at, created_at
      FROM mails, generate_series(1, CAST(${count} AS INTEGER)) AS n`
  })

/**
 * Returns how many database pages the statements of the effect read. To measure the pages, the function runs each
 * statement once more with EXPLAIN.
 */
const pagesOf = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const runs: Array<ReturnType<Statement.Statement<unknown>["compile"]>> = []
  yield* Effect.provideService(effect, Statement.CurrentTransformer, (statement) =>
    Effect.sync(() => {
      runs.push(statement.compile())
      return statement
    })
  )
  let pages = 0
  for (const [text, params] of runs) {
    const rows = yield* sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
      params
    )
    for (const { Plan } of rows[0]?.["QUERY PLAN"] ?? [])
      pages += Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]
  }
  return pages
})

it.effect("a claim reads no more pages than the claimed jobs need, even if one organization has 20,000 due jobs", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const assignments = yield* AssignmentStore
    const mails = yield* MailStore
    const media = yield* MediaJobStore
    yield* (yield* TopicStore).submit(makeSubmission())
    yield* flood(20_000)
    yield* sql`ANALYZE assignments, mails`
    const at = start + 10 * day
    assert.isBelow(yield* pagesOf(assignments.due("live", at, 100)), 150)
    yield* sql`UPDATE assignments SET generation_next_at = due_at WHERE organization_id = 'flood'`
    yield* sql`VACUUM ANALYZE assignments`
    const [lane, ...others] = yield* assignments.due("live", at, 100, false)
    assert.deepStrictEqual([lane?.ids.length, others], [1, []])
    assert.isBelow(yield* pagesOf(assignments.due("live", at, 100, false)), 50)
    assert.isBelow(yield* pagesOf(assignments.nextDue(["live", "test"])), 20)
    assert.isBelow(yield* pagesOf(mails.nextDue), 50)
    // Each of the 16 updated rows gets a new version and new index entries.
    assert.isBelow(yield* pagesOf(mails.claim(at, at + day, 16)), 350)
    yield* sql`INSERT INTO media_jobs (share_id, kind, name, due_at, organization_id)
      SELECT id, 'audio', id, due_at, organization_id FROM assignments`
    yield* sql`VACUUM ANALYZE media_jobs`
    assert.isBelow(yield* pagesOf(media.claim(at, at + day, ["audio"], 4)), 120)
  }).pipe(Effect.provide(TestDatabase.layer))
)

it.effect("a read of a few events touches few database pages, even if 20,000 events are stored", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const log = yield* EventLog
    const mine = makeOwner()
    const types = EventType.literals
    const id = sql`SUBSTR(${makeLowestEventId(start)}, 1, 24) || LPAD(CAST(n AS TEXT), 12, '0')`
    yield* sql`INSERT INTO events (id, organization_id, environment, type, share_id, created_at, payload)
      SELECT ${id}, ${mine.organizationId}, ${mine.environment},
        (CAST(${`{${types.join()}}`} AS TEXT[]))[1 + n % CAST(${types.length} AS INTEGER)], 'share', '', '{}'
      FROM generate_series(1, 20000) AS n`
    yield* sql`INSERT INTO event_positions (event_id, organization_id, environment, type, position)
      SELECT id, organization_id, environment, type, ROW_NUMBER() OVER (ORDER BY id) FROM events ON CONFLICT DO NOTHING`
    yield* sql`VACUUM ANALYZE events, event_positions`
    const list = { owner: mine, type: null, since: start, behind: null, limit: 20, maxBytes: 100_000 }
    for (const forward of [false, true]) {
      const { events } = yield* log.page({ ...list, forward })
      assert.strictEqual(events.length, 20)
      assert.isBelow(yield* pagesOf(log.page({ ...list, forward })), 250)
    }
  }).pipe(Effect.provide(TestDatabase.layer))
)
