/** What a migration makes of what was there before: the figures of each day, as if they had been kept from the first day on. */
import { assert, describe, it } from "@effect/vitest"
import { percentile } from "@partner-commentary/core/performance/Durations"
import { figures } from "@partner-commentary/core/performance/Figures"
import { PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { rebuild } from "@partner-commentary/sql/reporting/RebuiltFigures"
import { recount } from "@partner-commentary/sql/reporting/Recount"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as FiguresScene from "@partner-commentary/testkit/performance/FiguresScene"
import * as Creator from "@partner-commentary/testkit/support/Creator"
import { day, minute, owner as ownerOf, persona, start, submission } from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

describe("a recount", () => {
  it.effect("finds what was kept with each change, on a busy day and on a quiet one", () =>
    Effect.gen(function* () {
      const topics = yield* TopicStore
      const owner = ownerOf()
      const [ada, bo] = [persona({ name: "Ada" }), persona({ name: "Bo" })]
      const times: Array<number> = []
      for (let index = 0; index < 45; index++) {
        const createdAt = start + (index < 3 ? day : 0)
        yield* TestClock.setTime(createdAt)
        const { sent } = yield* topics.submit(submission({ personas: [ada, bo], topic: { ...owner, createdAt } }))
        const [first, second] = sent
        if (first === undefined || second === undefined) return assert.fail("nothing was sent")
        yield* Creator.notify(first)
        yield* TestClock.setTime(createdAt + index * minute)
        times.push(index * minute)
        yield* Creator.respondAndDraft(first)
        if (index % 3 > 0) yield* Creator.approve(first)
        if (index % 3 === 1) yield* Creator.decline(second)
      }
      const told = Effect.flatMap(PerformanceStore, (store) =>
        Effect.map(store.days(owner, start - day, null), (days) =>
          days
            .toSorted((one, other) => (one.personaName < other.personaName ? -1 : 1))
            .map(({ personaId, personaName, tally }) => ({ personaId, personaName, ...figures(tally) }))
        )
      )
      const kept = yield* told
      yield* recount
      const [counted, other] = yield* told
      assert.deepStrictEqual([counted?.counts, other], [kept[0]?.counts, kept[1]])
      assert.deepInclude(counted?.counts, { sent: 45, pending: 15, approved: 30 })
      assert.deepInclude(other?.counts, { sent: 45, pending: 30, declined: 15 })
      for (const { response } of [kept[0], counted].flatMap((one) => one ?? [])) {
        const exact = percentile(times, 90) ?? 0
        assert.strictEqual(response.count, 45)
        assert.closeTo(response.p90 ?? 0, exact, exact * 0.05)
      }
    }).pipe(Effect.provide(TestDatabase.layer))
  )

  it.effect("rebuilds falsified figures day by day while others write, and counts each of their changes once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { goesOn, told } = yield* FiguresScene.make
      const kept = yield* told
      yield* sql`UPDATE tallies SET total = total + 7 WHERE day <> '' AND name = 'sent'`
      yield* sql`DELETE FROM tallies WHERE name = 'approved'`
      yield* sql`UPDATE performance_times SET recent = '', folded = ''`
      assert.notDeepEqual(yield* told, kept)
      assert.strictEqual(yield* FiguresScene.asTimePasses(rebuild), 2)
      assert.deepStrictEqual(yield* told, kept)
      const again = Effect.repeat(rebuild, { times: 5 })
      yield* FiguresScene.asTimePasses(Effect.all([goesOn, again], { concurrency: "unbounded" }))
      const after = yield* told
      yield* FiguresScene.asTimePasses(rebuild)
      assert.deepStrictEqual(yield* told, after)
    }).pipe(Effect.provide(TestDatabase.layer))
  )
})
