/** Tests the cost of counting the backlog for operators on SQLite, where each statement blocks the process. */
import { assert, it } from "@effect/vitest"
import { WorkBacklog } from "@partner-commentary/core/operations/WorkBacklog"
import { start } from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Statement from "effect/sql/Statement"
import { layerMemory } from "../src/Sqlite.ts"

it.effect("stalled drafts are counted with their own index, so that open assignments are not read", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const texts: Array<readonly [string, ReadonlyArray<unknown>]> = []
    yield* Effect.provideService(
      (yield* WorkBacklog).waiting(start, 10_000),
      Statement.CurrentTransformer,
      (statement) =>
        Effect.sync(() => {
          texts.push(statement.compile())
          return statement
        })
    )
    assert.lengthOf(texts, 1)
    for (const [text, params] of texts) {
      const plan = yield* sql.unsafe<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`, params)
      const reads = plan.flatMap(({ detail }) => (detail.includes(" assignments") ? [detail] : []))
      assert.deepStrictEqual(reads, ["SCAN assignments USING INDEX assignments_stalled"])
    }
  }).pipe(Effect.provide(layerMemory))
)
