/** Tests that the cost of listing a creator's open assignments does not grow with the number of open assignments. */
import { assert, it } from "@effect/vitest"
import { AssignmentStore, maxCountedFurtherAssignments } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { layerMemory } from "@partner-commentary/sqlite/Sqlite"
import { makePersonas, makeSubmission } from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Inserts `times` copies of the only assignment in the database. */
const multiply = Effect.fnUntraced(function* (times: number) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly name: string }>`SELECT name FROM pragma_table_info('assignments')`
  const copied = columns.map(({ name }) => (name === "id" ? "id || n" : name === "position" ? "position + n" : name))
  yield* sql.unsafe(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
      INSERT INTO assignments SELECT ${copied.join(", ")} FROM numbers, (SELECT * FROM assignments LIMIT 1) one`,
    [times]
  )
})

it.effect("a list of open assignments does not read all of a creator's 20,000 open assignments", () =>
  Effect.gen(function* () {
    const [one] = makePersonas(1)
    if (one === undefined) return assert.fail("nobody to ask")
    yield* (yield* TopicStore).submit(makeSubmission({ personas: [one] }))
    yield* multiply(20_000)
    const store = yield* AssignmentStore
    const took: Array<number> = []
    // The test takes three measurements, because the machine may be busy during one measurement.
    for (let time = 0; time < 3; time++) {
      const begun = performance.now()
      const { assignments, further } = yield* store.openOf(one.creator.email, 100)
      took.push(performance.now() - begun)
      assert.deepStrictEqual([assignments.length, further], [100, maxCountedFurtherAssignments])
    }
    // A query that reads every assignment takes more than 300 ms.
    assert.isBelow(Math.min(...took), 300)
  }).pipe(Effect.provide(layerMemory))
)
