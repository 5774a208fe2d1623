/** Test data of before there were simulated creators: it goes on, and keeps nothing of the human ones. */
import { assert, it } from "@effect/vitest"
import { toIso } from "@partner-commentary/core/shared/Instant"
import { partners } from "@partner-commentary/sql/migrations/0001_partners"
import { topics } from "@partner-commentary/sql/migrations/0002_topics"
import { sandbox } from "@partner-commentary/sql/migrations/0009_sandbox"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import { organizationId, persona, shareId, start, topicId } from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"

const sent = Effect.fnUntraced(function* (environment: "live" | "test", settled: boolean) {
  const sql = yield* SqlClient.SqlClient
  const [topic_id, id, asked] = [topicId(), shareId(), persona()]
  const own = { organization_id: organizationId(), environment, created_at: toIso(start) }
  const counts = { opinion_injected: 0, commentary_generated: 0, creator_approved: 0, declined: 0, abandoned: 0 }
  yield* sql`INSERT INTO topics ${sql.insert({
    ...own,
    ...counts,
    id: topic_id,
    status: settled ? "completed" : "pending",
    topic_sent: settled ? 0 : 1,
    expired: settled ? 1 : 0,
    organization_name: "Nordic Sports Wire",
    output_types: "[]",
    content: "Who wins the derby on Sunday?",
    metadata: "{}"
  })}`
  yield* sql`INSERT INTO assignments ${sql.insert({
    ...own,
    topic_id,
    id,
    position: 0,
    persona_id: asked.id,
    persona_name: asked.name,
    persona_image_url: "",
    creator_name: asked.creator.name,
    creator_email: asked.creator.email,
    creator_key: asked.creator.email.toLowerCase(),
    status: settled ? "expired" : "topic_sent",
    status_updated_at: toIso(start),
    failure_reason: settled ? "expired" : null,
    failure_at: settled ? toIso(start) : null,
    respond_by: toIso(start + 1000),
    due_at: settled ? null : toIso(start + 1000)
  })}`
  return id
})

it.effect("test topics of earlier versions go on with simulated creators, and forget the human ones", () =>
  Effect.gen(function* () {
    yield* Effect.andThen(partners, topics)
    const [open, settled, live] = [yield* sent("test", false), yield* sent("test", true), yield* sent("live", false)]
    yield* sandbox
    const sql = yield* SqlClient.SqlClient
    const found = (id: typeof open) =>
      Effect.map(
        sql`SELECT creator_name, creator_email, creator_key, simulation_path, simulation_next_at, due_at
          FROM assignments WHERE id = ${id}`,
        ([row]) => ({ ...row })
      )
    const nobody = { creator_name: "", creator_email: "", creator_key: "", simulation_path: "approve" }
    assert.deepStrictEqual(yield* found(open), { ...nobody, simulation_next_at: toIso(start), due_at: toIso(start) })
    assert.deepStrictEqual(yield* found(settled), { ...nobody, simulation_next_at: null, due_at: null })
    assert.deepStrictEqual(yield* found(live), {
      creator_name: "Ada N.",
      creator_email: "Ada@Example.org",
      creator_key: "ada@example.org",
      simulation_path: null,
      simulation_next_at: null,
      due_at: toIso(start + 1000)
    })
  }).pipe(Effect.provide(Layer.fresh(SqliteClient.layer({ filename: ":memory:" }))))
)
