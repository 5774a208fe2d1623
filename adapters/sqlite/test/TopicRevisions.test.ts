/** Tests the revision of a topic after the restore of a backup. */
import { assert, it } from "@effect/vitest"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { makeChange } from "@partner-commentary/core/topic/Workflow"
import { layerMemory } from "@partner-commentary/sqlite/Sqlite"
import { day, makePersonas, makeSubmission } from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

it.effect(
  "if a restore loses a new deadline, setting the deadline again gives the topic a different revision than before the restore",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const topics = yield* TopicStore
      const assignments = yield* AssignmentStore
      const given = makeSubmission({ personas: makePersonas(1) })
      const { sent } = yield* topics.submit(given)
      const [id] = sent
      assert.isDefined(id)
      const postpone = assignments.modify(id, (present) =>
        Result.succeed(makeChange({ ...present, respondBy: present.respondBy + day }))
      )
      const [saved] = yield* sql<{ version: number; respond_by: string }>`SELECT version, respond_by FROM topics
      JOIN assignments ON topic_id = topics.id WHERE topics.id = ${given.topic.id}`
      assert.isDefined(saved)
      yield* postpone
      const lost = yield* topics.revision(given.topic, given.topic.id)
      yield* sql`UPDATE topics SET version = ${saved.version} WHERE id = ${given.topic.id}`
      yield* sql`UPDATE assignments SET respond_by = ${saved.respond_by} WHERE id = ${id}`
      yield* TestClock.adjust("1501 millis")
      yield* postpone
      assert.notDeepEqual(yield* topics.revision(given.topic, given.topic.id), lost)
    }).pipe(Effect.provide(layerMemory))
)
